// A form that changes something is sent once, however often its button is pressed.

document.addEventListener('submit', (event) => {
  const form = event.target
  if (
    !(form instanceof HTMLFormElement) ||
    form.dataset.once === undefined ||
    event.defaultPrevented
  )
    return
  if (form.dataset.sent !== undefined) {
    event.preventDefault()
    return
  }
  form.dataset.sent = ''
  // After the values were read: a disabled button would not send its own.
  setTimeout(() => {
    for (const button of form.querySelectorAll<HTMLButtonElement>(
      'button[type=submit], button:not([type])',
    ))
      button.setAttribute('aria-disabled', 'true')
  })
})

// The history restores a page as it was left. Its forms can be sent again.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-sent]')) {
    delete form.dataset.sent
    for (const button of form.querySelectorAll('[aria-disabled]'))
      button.removeAttribute('aria-disabled')
  }
})
