// Run inside the page by the test: measures what a person would trip over, and leaves it in the body's data-audit.
addEventListener("load", () => {
  const problems = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth + 1) problems.push(`the page is ${root.scrollWidth} px wide in ${innerWidth}`);
  const channel = (value) => ((value /= 255), value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const seen = new Set();
  for (const element of document.querySelectorAll("h1,h2,h3,h4,p,a,td,th,small,code,b,dt,li,span,button,summary,footer,figcaption")) {
    if (!element.textContent.trim() || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    if (Number(style.opacity) < 1 || element.closest("svg")) continue;
    const [a, b] = [luminance(parse(style.color).slice(0, 3)), luminance(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const key = `${element.tagName}.${element.className}`;
    if (ratio < 4.5 && !seen.has(key)) problems.push(`contrast ${ratio.toFixed(2)} of ${key}`), seen.add(key);
  }
  for (const svg of document.querySelectorAll("svg[role=img]")) {
    if (!svg.querySelector("title")?.textContent) problems.push("a chart without a title");
    const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
    const scale = box.width / view.width;
    if (box.width && 12 * scale < 8) problems.push(`text of a chart is ${(12 * scale).toFixed(1)} px high`);
  }
  for (const text of document.querySelectorAll("svg.chart text")) {
    const fill = luminance(parse(getComputedStyle(text).fill).slice(0, 3));
    if (text.classList.contains("on")) continue;
    const [a, b] = [fill, luminance(ground(text.closest("section")))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5 && !seen.has("svg")) problems.push("contrast of a chart's text"), seen.add("svg");
  }
  for (const link of document.querySelectorAll("a")) if (!(link.textContent.trim() || link.ariaLabel)) problems.push("a link without words");
  for (const area of document.querySelectorAll(".scroll")) if (!(area.tabIndex === 0 && area.ariaLabel)) problems.push("a scrolled table without a name or out of the keyboard's reach");
  let level = 0;
  for (const head of document.querySelectorAll("h1,h2,h3,h4")) {
    const own = Number(head.tagName[1]);
    if (own > level + 1) problems.push(`${head.tagName} after H${level}`);
    level = own;
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) problems.push("an id twice");
  const button = document.querySelector("table.sortable th.n button");
  if (button) {
    button.click();
    const head = button.closest("th"), rows = [...head.closest("table").tBodies[0].rows];
    const values = rows.map((row) => Number(row.cells[head.cellIndex].dataset.v ?? row.cells[head.cellIndex].textContent));
    if (head.getAttribute("aria-sort") !== "descending") problems.push("a sorted head does not say so");
    if (values.some((value, at) => at && value > values[at - 1])) problems.push("sorting does not sort");
  }
  document.body.dataset.audit = JSON.stringify({ problems, dark: matchMedia("(prefers-color-scheme: dark)").matches, charts: document.querySelectorAll("svg[role=img]").length });
});
