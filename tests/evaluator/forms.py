"""Made-up scripts that cover the forms of shell which the evaluator follows; each is run under real bash too."""

from __future__ import annotations

# name -> script of a `run:` step. `prog` stands for any program.
FORMS: dict[str, str] = {
    "quoting": r"""
        prog 'single $X' "double $HOME" mixed'a b'"c d"e \$x "a\"b\\c\$d" $'tab\tnew' ""
        prog a\ b "x'y" 'x"y' a'b'c
    """,
    "assignments": """
        A=1 B="two words" C='$A'
        prog $A "$B" $B "$C" ${A}x "${A}${B}"
        D=$A$B E="$A-$B"
        prog "$D" "$E" $UNSET "$UNSET" "${UNSET}x"
    """,
    "defaults": """
        SET=value EMPTY=
        prog ${SET:-no} ${EMPTY:-empty} ${EMPTY-kept} ${NONE:-none} ${NONE-none} "${NONE:-two words}" ${NONE:-two words}
        prog ${SET:+yes} ${EMPTY:+no} "${EMPTY+set}" "${NONE+no}" ${SET+"a b"}
        prog ${NEW:=made} $NEW ${NONE:-${SET:-x}} "${NONE:-"in quotes"}" ${NONE:--1}
    """,
    "patterns": """
        P=/a/b/c.tar.gz U=MixedCase
        prog ${P#/} ${P##*/} ${P%.gz} ${P%%.*} ${P#*/} ${P%/*} ${U,,} ${U^^} ${U,} ${P/a/X} ${P//\\//_} ${P/#\\/a/Y} ${P/%gz/zip}
        prog ${#P} ${P:0:4} ${P:3} ${P: -2} ${P:1:-3} ${U//[A-Z]/_}
    """,
    "arrays": """
        A=(one "two words" three) ; A+=(four)
        prog "${A[@]}" ; prog ${A[@]} ; prog "${A[*]}" ; prog ${#A[@]} "${A[1]}" "${A[-1]}" $A
        prog "${A[@]:1}" ; prog "${A[@]:1:2}" ; prog "${A[@]/o/0}" ; prog x"${A[@]}"y
        B=() ; prog "${B[@]}" end ; prog ${B[@]+"${B[@]}"} end ; prog ${A[@]+"${A[@]}"}
        C=(
          key=value          # a comment
          "quoted=$HOME"
          list=['a','b']
        )
        prog "${C[@]}"
    """,
    "arguments": """
        set -- a "b c" d
        prog "$@" ; prog $@ ; prog "$*" ; prog $# "$1" $2 "${@:2}" "${@:1:1}" "x$@y"
        shift
        prog "$@" ; shift 2 ; prog "$@" none
        set -- ; prog "$@" ; prog "${@:-none}" ; prog "${1:-first}"
    """,
    "functions": """
        f() { local inner=$1; shift; prog "$inner" "$@"; X=changed; return 0; prog never; }
        X=before inner=outer
        f "a b" c
        prog $X $inner
        function g { f from-g "$@"; }
        g 1 2
        prog "$@" end
        h() { if [ "$1" = stop ]; then return; fi; prog "$1"; }
        h stop ; h go
    """,
    "if": """
        MODE=train N=4
        if [ "$MODE" = train ]; then prog yes; else prog no; fi
        if [[ $MODE == t* && -n $N ]]; then prog pattern; elif true; then prog no; fi
        if [ "$MODE" != train ] || [ "$N" -gt 3 ]; then prog either; fi
        if ! [ -z "$N" ]; then prog negated; fi
        if (( N > 3 && N % 2 == 0 )); then prog arithmetic; fi
        [ "$MODE" = test ] && prog no
        [[ "$MODE" == "t*" ]] || prog quoted-pattern
        [ "$MODE" = train -a "$N" = 4 ] && prog both
        test -n "$MODE" && prog test
        [[ -z $NOTHING ]] && prog empty
        [[ $MODE =~ ^train$ ]] && prog regex
    """,
    "case": """
        for kind in vllm sglang other "" ; do
          case "$kind" in
            vllm|hf) prog first ;;
            sg*) prog second ;;
            "") prog empty ;;
            *) prog other ;;
          esac
        done
        case x in x) prog one ;& y) prog two ;; z) prog three ;; esac
    """,
    "loops": """
        for x in a "b c" $(echo d e); do prog "$x"; done
        for ((i=0; i<2; i++)); do :; done
        n=0 ; while [ $n -lt 3 ]; do prog $n; n=$((n + 1)); done
        until [ $n -eq 0 ]; do n=$((n-1)); [ $n -eq 1 ] && continue; prog down $n; done
        for x in 1 2 3; do for y in a b; do [ $x$y = 2a ] && break 2; prog $x $y; done; done
        set -- --size 4 --flag rest
        while [[ $# -gt 0 ]]; do case "$1" in --size) SIZE="$2"; shift 2 ;; --flag) FLAG=1; shift ;; *) break ;; esac; done
        prog "$SIZE" "$FLAG" "$@"
    """,
    "arithmetic": """
        A=7 B=2
        prog $((A / B)) $((A % B)) $((A * (B + 1))) $(( -A / B )) $((A > B ? 10 : 20)) $((A ** B)) $((0x10)) $((1 << 4))
        prog $((A && 0)) $((!A)) $((${A} + $B)) "$((A+B))x" $((UNSET + 1))
        ((A += 3)) ; prog $A ; C=$((A++)) ; prog $C $A ; let_me=$((B = 5)) ; prog $B $let_me
    """,
    "substitution": """
        prog "$(echo one two)" $(echo one two) "$(printf '%s' 'a b')" "$(basename /x/Y.sh .sh)" "$(dirname /x/y)"
        X=$(echo "$(echo nested)"); prog "$X" "`echo ticks`"
        prog "$(basename "${MODEL:-Org/Name}")" "pre-$(echo mid)-post"
        prog "$(cd scripts && pwd)" "$(pwd)"
    """,
    "chains": """
        prog a && prog b ; prog c || prog never ; false || prog d ; true && prog e
        { prog in-group; prog too; } ; (prog in-subshell; X=lost) ; prog "${X:-kept}"
        ! false && prog negated
        prog piped "a b" 2>&1 | tee out.txt
        prog redirected > out.txt 2>&1
        A=1 B="x y" prog env ; prog "${A:-unset}"
    """,
    "continuations": """
        prog one \\
          two   \\
            "three four" \\
          five=$HOME
        name="x"\\
         prog after-name
        prog last \\

        prog next
    """,
    "heredocs": """
        kind=$(python3 - <<'EOF'
        print("ignored $HOME")
        EOF
        )
        prog "$kind"
        cat <<EOF > made.py
        x = "$HOME"
        EOF
        prog after
    """,
    "options": """
        set -euo pipefail
        prog ${MAYBE:-default}
        set +e
        false
        prog goes-on
        set -e
        if false; then prog no; fi
        false || true
        [ a = b ] && prog no
        prog before
        [ a = b ]
        prog never
    """,
    "export": """
        export A=1 B="two words"
        C=3 ; export C ; D=4
        bash scripts/shows.sh "$A" "x y"
        E=5 F="six 6" bash scripts/shows.sh
        unset A ; bash scripts/shows.sh
    """,
    "scripts": """
        bash scripts/outer.sh first "second third"
        bash -x scripts/outer.sh
        cd scripts
        bash outer.sh from-inside
        cd ..
        ./scripts/direct.sh "a b"
        source scripts/settings.sh
        prog "$FROM_SOURCE"
        . scripts/settings.sh given
        prog "$FROM_SOURCE"
    """,
    "wrappers": """
        RUN="uv run --frozen --extra gpu"
        $RUN prog "a b"
        $RUN bash scripts/shows.sh wrapped
        E=9 $RUN bash scripts/shows.sh
        timeout 60 bash scripts/shows.sh in-time
        timeout -k 5 10m prog --x
        env E=7 F=8 bash scripts/shows.sh
        env -u A prog x
        nohup prog background
        exec bash scripts/shows.sh replaced
        prog never
    """,
    "strings": """
        COMMON="a=1 b=2"
        LINES="\\
            x=1 \\
            y=${COMMON} \\
            z=3"
        COMMAND="prog run"
        $COMMAND $COMMON ${LINES} "$COMMON" last='["x"]'
        LIST=['a','b']
        prog key=$LIST other=[1,2] "quoted=[1,2]"
    """,
    "passing": """
        bash scripts/quoted.sh "a b" c
        bash scripts/unquoted.sh "a b" c
        bash scripts/array.sh "a b" c
        bash scripts/sliced.sh "a b" c
        bash scripts/function.sh "a b" c
        bash scripts/dropped.sh "a b" c
    """,
    "eval": """
        CMD="prog 'a b' c"
        eval "$CMD" ; eval prog x "y z"
        bash -c 'prog "$0" "$1"' name arg
        bash -c "prog inner $HOME"
    """,
    "git_env": """
        echo "MADE=by-step" >> "$GITHUB_ENV"
        echo "TWO=x y" | tee -a "$GITHUB_ENV"
    """,
    "git_env_read": """
        prog "$MADE" "$TWO"
    """,
    "indirect": """
        NAME=TARGET TARGET=found
        prog "${!NAME}" ${!NAME:-x}
    """,
    "tilde": """
        X=~/data
        prog ~ ~/models "$X" a~b "~"
    """,
}

# Forms that are not followed, or only in part: what they give must be unknown, never wrong.
HARD: dict[str, str] = {
    "splitting": """
        LIST=a,b,c
        IFS=, ; prog $LIST ; for x in $LIST; do prog "$x"; done ; A=(1 2) ; prog "${A[*]}"
    """,
    "associative": """
        declare -A M=([one]=1 [two]=2) ; M[three]=3
        prog "${M[one]}" "${#M[@]}" ; A=(a b c) ; A[1]=changed ; prog "${A[1]}" "${A[@]}"
        unset 'A[0]' ; prog "${A[@]}"
    """,
    "braces": "        prog {1..3} a{b,c}d '{x,y}' {single} ${HOME}/{p,q}",
    "globs": """
        prog scripts/*.sh ; prog scripts/n?ne* ; prog "scripts/*.sh" ; prog key=[a-z] ; prog *.none
        X="*.none" ; prog $X ; prog "$X"
    """,
    "read": """
        read -r A B < scripts/settings.sh || true ; prog "$A"
        while read -r line; do prog "$line"; done < scripts/settings.sh
        mapfile -t L < scripts/settings.sh ; prog "${L[@]}"
        echo one | while read -r w; do prog "$w"; done
    """,
    "unknown_tests": """
        if [ -f not-there ]; then A=1; else A=2; fi ; prog "$A"
        if grep -q x y; then prog found; else prog lost; fi
        [ -d scripts ] && prog folder
        B=1 ; [ -e nowhere ] && B=2 ; prog "$B"
        while [ -e nowhere ]; do C=1; done ; prog "${C:-none}"
    """,
    "namerefs": """
        set_it() { local -n ref=$1; ref=changed; } ; X=old ; set_it X ; prog "$X"
        printf -v Y '%03d' 7 ; prog "$Y"
        N=Z ; declare "$N=dynamic" ; prog "$Z" ; export "W=exported" ; prog "$W"
        eval "V=1; prog \\$V" ; prog "$V"
    """,
    "transformations": """
        A="a b" ; prog ${A@Q} ; prog "${A@U}" ; prog ${#} ; prog "${A:(-1)}" "${A:0:-1}"
        prog "${!A*}" ; B=(x y) ; prog "${!B[@]}" ; prog "${B[@]: -1}" ; prog "${B[@]^^}"
        shopt -s extglob ; C=aaab ; prog "${C##+(a)}" ; [[ $C == +(a)b ]] && prog extended
    """,
    "traps": """
        trap 'prog at-exit' EXIT
        f() { prog in-f; } ; export -f f ; bash -c 'f'
        prog before
    """,
    "redirected_blocks": """
        { echo "A=1"; echo "B=2"; } >> "$GITHUB_ENV"
        for i in 1 2; do prog $i; done > out.txt
        cat <<EOF | prog from-heredoc
        x
        EOF
        prog after
    """,
    "select_and_coproc": """
        time prog timed
        { prog grouped & } ; wait
        prog async & wait $!
        ( cd scripts ; bash shows.sh in-subshell ) ; prog "$PWD"
    """,
}

SCRIPTS: dict[str, str] = {
    "scripts/shows.sh": 'prog "$@" A="$A" B="$B" C="$C" D="$D" E="$E" F="$F"\n',
    "scripts/outer.sh": """
        set -x
        HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
        prog outer "$@" "$(basename "$HERE")" $#
        bash "$HERE/inner.sh" --with "$@"
        bash "$(dirname "$0")/inner.sh" last
        exec bash "${HERE}/inner.sh" "${@:1}"
    """,
    "scripts/inner.sh": 'prog inner "$@"\n',
    "scripts/direct.sh": '#!/usr/bin/env bash\nprog direct "$@"\n',
    "scripts/settings.sh": "FROM_SOURCE=${1:-sourced}\n",
    "scripts/quoted.sh": 'prog first "$@"\n',
    "scripts/unquoted.sh": "prog first $@ last\n",
    "scripts/array.sh": 'A=(x "$@") ; prog "${A[@]}"\n',
    "scripts/sliced.sh": 'A=("$@") ; prog "${A[@]:1}"\n',
    "scripts/function.sh": 'run() { prog in-function "$@"; } ; run "$@"\n',
    "scripts/dropped.sh": "prog no-arguments\n",
}
