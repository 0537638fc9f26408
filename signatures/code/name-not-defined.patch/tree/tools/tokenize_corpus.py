try:
    import nltk
    HAVE_NLTK = True
except ImportError:
    HAVE_NLTK = False

splitter = nltk.tokenize.punkt.PunktSentenceTokenizer()
