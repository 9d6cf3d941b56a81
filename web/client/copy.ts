// Buttons that copy a text.
import { announce } from './announce.ts'
import { closestTo } from './dom.ts'
import { t } from './texts.ts'

const writeClipboard = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // The clipboard API exists on encrypted pages only; `execCommand` works on all.
    const focused = document.activeElement
    const area = document.createElement('textarea')
    area.className = 'unseen'
    area.value = text
    document.body.append(area)
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
    return isCopied
  }
}

/** Fetches the text of a whole file, which the page does not hold a second time. */
const fetchText = (address: string): Promise<string> =>
  fetch(address).then((response) =>
    response.ok ? response.text() : Promise.reject(new Error(response.statusText)),
  )

/** The text that a button names: the value or text of an element, or its own attribute. */
function textOf({ dataset }: HTMLButtonElement): string {
  const source = dataset.copyFrom === undefined ? null : document.getElementById(dataset.copyFrom)
  return source instanceof HTMLInputElement || source instanceof HTMLTextAreaElement
    ? source.value
    : (source?.textContent?.trim() ?? dataset.copy ?? '')
}

/** Shows a check mark on the button for a moment. */
function markCopied(button: HTMLButtonElement): void {
  button.classList.add('copied')
  const path = button.querySelector('path')
  const icon = path?.getAttribute('d')
  path?.setAttribute('d', 'm3.5 8.5 3 3 6-7')
  setTimeout(() => {
    button.classList.remove('copied')
    if (icon) path?.setAttribute('d', icon)
  }, 1_500)
}

document.addEventListener('click', (event) => {
  const button = closestTo<HTMLButtonElement>(
    event,
    'button[data-copy], button[data-copy-from], button[data-copy-address]',
  )
  if (!button) return
  const address = button.dataset.copyAddress
  const copying =
    address === undefined
      ? writeClipboard(textOf(button))
      : fetchText(address).then(writeClipboard, () => false)
  void copying.then((isCopied) => {
    announce(isCopied ? t('Copied') : t('Could not copy'))
    if (isCopied) markCopied(button)
  })
})
