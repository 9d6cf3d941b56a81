// Text fields grow with their text, in browsers without `field-sizing`.

if (!CSS.supports('field-sizing', 'content')) {
  const grow = (area: HTMLTextAreaElement): void => {
    area.style.height = 'auto'
    area.style.height = `${area.scrollHeight + 2}px`
  }
  for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-autosize]'))
    grow(area)
  document.addEventListener('input', (event) => {
    if (event.target instanceof HTMLTextAreaElement && event.target.dataset.autosize !== undefined)
      grow(event.target)
  })
}
