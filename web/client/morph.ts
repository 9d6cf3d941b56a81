// Updates a part of the page to a newer version of itself. Kept as they are: forms with the focus,
// typed text or an error, and `<details>` that the reader opened or closed.
import { Idiomorph } from 'idiomorph'
import { isDrawnDiagram } from './diagrams.ts'
import { closestTo } from './dom.ts'
import { withFocusKept } from './focus.ts'

const toggledByHand = new WeakSet<Element>()
document.addEventListener('click', (event) => {
  const details = closestTo(event, 'summary')?.parentElement
  if (details) toggledByHand.add(details)
})

const isSelectChanged = (select: HTMLSelectElement): boolean =>
  select.selectedIndex !==
  Math.max(
    0,
    [...select.options].findIndex(({ defaultSelected }) => defaultSelected),
  )

function isChanged(field: Element): boolean {
  if (field instanceof HTMLSelectElement) return isSelectChanged(field)
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue
  if (!(field instanceof HTMLInputElement) || field.type === 'hidden') return false
  return /^(?:checkbox|radio)$/.test(field.type)
    ? field.checked !== field.defaultChecked
    : field.value !== field.defaultValue
}

/** Whether somebody is in a field of a form. Its buttons may go with it, and get the focus back. */
const hasFieldInUse = (form: HTMLFormElement): boolean =>
  form.matches(':focus-within') && document.activeElement?.matches('a, button, summary') === false

const isInUse = (form: HTMLFormElement): boolean =>
  hasFieldInUse(form) ||
  form.matches(':has([aria-invalid], [role=alert])') ||
  [...form.elements].some(isChanged)

const hasForm = (node: Node, isKept: (form: HTMLFormElement) => boolean): boolean =>
  node instanceof HTMLFormElement
    ? isKept(node)
    : node instanceof Element && [...node.querySelectorAll('form')].some(isKept)

/**
 * Changes `old` into `fresh` with as few changes to the document as possible. The form `sent` changes too,
 * although it has the focus or an error.
 */
export function morph(old: Element, fresh: Element, sent: HTMLFormElement | null = null): void {
  const isKept = (form: HTMLFormElement): boolean => form !== sent && isInUse(form)
  const callbacks = {
    beforeNodeMorphed: (node: Node, next: Node): boolean =>
      !(node instanceof HTMLFormElement && isKept(node)) && !isDrawnDiagram(node, next),
    beforeNodeRemoved: (node: Node): boolean => !hasForm(node, isKept),
    beforeAttributeUpdated: (name: string, element: Element): boolean =>
      !(name === 'open' && toggledByHand.has(element)),
  }
  withFocusKept(old, () => void Idiomorph.morph(old, fresh, { callbacks }))
}
