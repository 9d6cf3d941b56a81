// Tasks in a text are saved when they are ticked.
document.addEventListener('change', (event) => {
  const form = event.target instanceof HTMLInputElement ? event.target.form : null
  if (form?.dataset.saveOnChange !== undefined) form.requestSubmit()
})
