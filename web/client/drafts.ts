// Drafts. A text that is being written survives a reload or a way back, in this window only.
// Sending the form deletes the draft. A draft replaces only the text that it was begun with, so that
// it never overwrites what the page has meanwhile.

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

/** Puts the drafts of the fields in an element back. */
export function restoreDrafts(within: ParentNode): void {
  for (const area of within.querySelectorAll<HTMLTextAreaElement>('textarea[data-draft]')) {
    const draft = tryStorage(
      () => JSON.parse(sessionStorage.getItem(keyOf(area)) ?? 'null') as [string, string] | null,
    )
    if (
      draft?.[0] === area.defaultValue &&
      area.value === area.defaultValue &&
      !area.matches('[aria-invalid]')
    )
      area.value = draft[1]
  }
}
restoreDrafts(document)

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLTextAreaElement) || target.dataset.draft === undefined) return
  const { defaultValue, value } = target
  tryStorage(() =>
    value === defaultValue
      ? sessionStorage.removeItem(keyOf(target))
      : sessionStorage.setItem(keyOf(target), JSON.stringify([defaultValue, value])),
  )
})

/** Deletes the drafts of a form that is sent. */
export function forgetDrafts(form: HTMLFormElement): void {
  for (const area of form.querySelectorAll<HTMLTextAreaElement>('textarea[data-draft]'))
    tryStorage(() => sessionStorage.removeItem(keyOf(area)))
}

document.addEventListener('submit', ({ target, defaultPrevented }) => {
  if (!defaultPrevented && target instanceof HTMLFormElement) forgetDrafts(target)
})
