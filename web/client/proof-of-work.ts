// Solves proofs of work: of the page that stands before costly pages for readers who are not signed in
// (`web/crawlers.ts`), and of forms that anybody may send (`web/report-proof.ts`).
import { firstDigestWord } from './sha256.ts'

/** Digests between two turns of the event loop, so that the page stays responsive. */
const BATCH = 2_000

/** Calls `found` with the answer. */
function solve({ work = '', bits }: DOMStringMap, found: (answer: string) => void): void {
  const shift = 32 - Number(bits)
  let candidate = 0
  const tryBatch = (): void => {
    for (const end = candidate + BATCH; candidate < end; candidate++)
      if (firstDigestWord(`${work}:${candidate}`) >>> shift === 0) return found(String(candidate))
    setTimeout(tryBatch)
  }
  tryBatch()
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-work]')) {
  const field = form.elements.namedItem('answer')
  if (field instanceof HTMLInputElement)
    solve(form.dataset, (answer) => {
      field.value = answer
      form.submit()
    })
}

// A field of a form that people fill in meanwhile. Who is faster than the work waits for it.
for (const field of document.querySelectorAll<HTMLInputElement>('input[data-work]')) {
  const { form } = field
  let isPressed = false
  const wait = (event: SubmitEvent): void => {
    event.preventDefault()
    event.submitter?.setAttribute('aria-disabled', 'true')
    isPressed = true
  }
  form?.addEventListener('submit', wait)
  solve(field.dataset, (answer) => {
    field.value = answer
    form?.removeEventListener('submit', wait)
    if (isPressed) form?.requestSubmit()
  })
}
