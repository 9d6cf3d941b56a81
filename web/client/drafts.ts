// Drafts. A text that is being written survives a reload or a way back, in this window only.
// Sending the form deletes the draft.

const keyOf = (area: HTMLTextAreaElement): string =>
  `draft ${location.pathname} ${area.id} ${area.dataset.draft ?? ''}`

/** Runs an access to the session storage. Null where the browser stores nothing. */
const tryStorage = <T>(run: () => T): T | null => {
  try {
    return run()
  } catch {
    return null
  }
}

for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-draft]')) {
  const draft = tryStorage(() => sessionStorage.getItem(keyOf(area)))
  if (draft && area.value === area.defaultValue && !area.matches('[aria-invalid]'))
    area.value = draft
}

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLTextAreaElement) || target.dataset.draft === undefined) return
  tryStorage(() =>
    target.value === target.defaultValue
      ? sessionStorage.removeItem(keyOf(target))
      : sessionStorage.setItem(keyOf(target), target.value),
  )
})

document.addEventListener('submit', ({ target, defaultPrevented }) => {
  if (defaultPrevented || !(target instanceof HTMLFormElement)) return
  for (const area of target.querySelectorAll<HTMLTextAreaElement>('textarea[data-draft]'))
    tryStorage(() => sessionStorage.removeItem(keyOf(area)))
})
