// Solves the proof of work that stands before costly pages for readers who are not signed in
// (`web/crawlers.ts`).
import { firstDigestWord } from './sha256.ts'

/** Digests between two turns of the event loop, so that the page stays responsive. */
const BATCH = 2_000

function solve(form: HTMLFormElement): void {
  const challenge = form.dataset.work ?? ''
  const shift = 32 - Number(form.dataset.bits)
  const field = form.elements.namedItem('answer')
  if (!(field instanceof HTMLInputElement)) return
  let candidate = 0
  const tryBatch = (): void => {
    for (const end = candidate + BATCH; candidate < end; candidate++) {
      if (firstDigestWord(`${challenge}:${candidate}`) >>> shift !== 0) continue
      field.value = String(candidate)
      form.submit()
      return
    }
    setTimeout(tryBatch)
  }
  tryBatch()
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-work]')) solve(form)
