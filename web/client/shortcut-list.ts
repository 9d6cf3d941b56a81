// The list of keyboard shortcuts that the page has.
import { hasFiles } from './change-tree.ts'
import { closestTo, createElement } from './dom.ts'
import { t } from './texts.ts'

const nameOf = (element: HTMLElement): string =>
  element.getAttribute('aria-label') ??
  element.textContent?.trim().replace(/(?<!\s)\s+\d[\d,+]*$/, '') ??
  ''

/** The shortcuts of this page, as pairs of keys and meaning. */
function shortcuts(): [keys: string, meaning: string][] {
  const list = [...document.querySelectorAll<HTMLElement>('[data-hotkey]')].map(
    (element): [string, string] => [element.dataset.hotkey ?? '', nameOf(element)],
  )
  if (document.querySelector('.code')) list.push(['l', t('Go to a line')])
  if (hasFiles()) list.push(['j k', t('The next and the previous file')])
  else if (document.querySelector('.row-link'))
    list.push(['j k', t('The next and the previous row')])
  for (const element of document
    .querySelector('.row')
    ?.querySelectorAll<HTMLElement>('[data-row-key]') ?? [])
    list.push([
      element.dataset.rowKey ?? '',
      t('{action} (in a row)', { action: element.textContent?.trim() ?? '' }),
    ])
  list.push(
    ['Ctrl K', t('Go to a repository, number, page or file')],
    ['Ctrl Enter', t('Send what you are writing')],
    ['?', t('This list')],
  )
  return list
}

export function showShortcuts(): void {
  document.querySelector('dialog.shortcuts')?.remove()
  const dialog = createElement('dialog', {
    class: 'shortcuts',
    'aria-labelledby': 'shortcuts-title',
  })
  const title = createElement('h2', { id: 'shortcuts-title' })
  title.textContent = t('Keyboard shortcuts')
  const list = document.createElement('dl')
  for (const [keys, meaning] of shortcuts()) {
    const term = document.createElement('dt')
    for (const key of keys.split(' ')) {
      const cap = document.createElement('kbd')
      cap.textContent = key
      term.append(cap, ' ')
    }
    const description = document.createElement('dd')
    description.textContent = meaning
    list.append(term, description)
  }
  const close = createElement('button', { type: 'button', class: 'btn btn-plain' })
  close.textContent = t('Close')
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  dialog.append(title, list, close)
  document.body.append(dialog)
  dialog.showModal()
}

document.addEventListener('click', (event) => {
  if (closestTo(event, '[data-shortcuts]')) showShortcuts()
})
