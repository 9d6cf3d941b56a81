// The focus stays on the same thing when the page around it changes: a link that a person has gone to may
// come to stand for the next row of a list, or be replaced by an equal one.

/** What a person takes for the same link, button or field. */
const identityOf = (element: Element): string =>
  [
    element.tagName,
    ...['id', 'href', 'name', 'value', 'for'].map((name) => element.getAttribute(name) ?? ''),
    element.closest('form')?.getAttribute('action') ?? '',
    // Links of one address are the same, although one that counts has another text.
    element.hasAttribute('href') ? '' : (element.textContent ?? '').trim(),
  ].join('\n')

/** The elements in `root` that stand for the same. A page may link to one address from several places. */
const twinsOf = (element: Element, identity: string, root: Element): Element[] =>
  [...root.querySelectorAll(element.tagName)].filter((one) => identityOf(one) === identity)

/** Changes what is in `root`, and gives the focus back to what had it. */
export function withFocusKept(root: Element, change: () => void): void {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement) || !root.contains(focused) || focused === root)
    return change()
  const identity = identityOf(focused)
  const index = twinsOf(focused, identity, root).indexOf(focused)
  change()
  const twins = twinsOf(focused, identity, root)
  // What is gone leaves the focus where the browser puts it: Tab goes on from there.
  const twin = twins.includes(focused) ? focused : (twins[index] ?? twins[0])
  if (twin instanceof HTMLElement && twin !== document.activeElement)
    twin.focus({ preventScroll: true })
}
