// Files in Markdown fields: pasted, dropped or chosen. Each is uploaded at once, and a link to it
// takes the place of the words that stood for it meanwhile.
import { announce } from './announce.ts'
import { t } from './texts.ts'

/** Uploads that are under way, by form. */
const pending = new Map<HTMLFormElement, number>()

const count = (form: HTMLFormElement, by: number): void =>
  void pending.set(form, (pending.get(form) ?? 0) + by)

const areaOf = (target: EventTarget | null): HTMLTextAreaElement | null =>
  target instanceof HTMLTextAreaElement && target.dataset.attach ? target : null

function say(area: HTMLTextAreaElement, message: string): void {
  const status = document.querySelector(`[data-attach-status="${area.id}"]`)
  if (status) status.textContent = message
  else announce(message)
}

const changed = (area: HTMLTextAreaElement): void =>
  void area.dispatchEvent(new Event('input', { bubbles: true }))

/** Replaces the words that stand for a file. The caret stays where the person writes meanwhile. */
function replace(area: HTMLTextAreaElement, words: string, text: string): void {
  const at = area.value.indexOf(words)
  if (at < 0) area.setRangeText(text, area.value.length, area.value.length, 'preserve')
  else area.setRangeText(text, at, at + words.length, 'preserve')
  changed(area)
}

/** The reason of a refusal, from the page that tells it. */
async function reasonOf(response: Response): Promise<string> {
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return page.querySelector('.error-page .empty-text p')?.textContent ?? t('The server refused it.')
}

async function send(area: HTMLTextAreaElement, file: File): Promise<string> {
  const body = new FormData()
  const csrf = area.form?.querySelector<HTMLInputElement>('input[name=csrf]')
  body.append('csrf', csrf?.value ?? '')
  body.append('file', file, file.name || 'image.png')
  const response = await fetch(area.dataset.attach ?? '', { method: 'POST', body })
  if (!response.ok) throw new Error(await reasonOf(response))
  return ((await response.json()) as { markdown: string }).markdown
}

async function attach(area: HTMLTextAreaElement, file: File): Promise<void> {
  const words = `![${t('Uploading {name}', { name: file.name.replace(/[[\]]/g, '') })} …]()`
  const { name } = file
  const { selectionEnd: at, value } = area
  const before = at > 0 && value[at - 1] !== '\n' ? '\n' : ''
  area.setRangeText(`${before}${words}\n`, at, at, 'end')
  changed(area)
  const { form } = area
  if (form) count(form, 1)
  say(area, t('Uploading {name}', { name }))
  try {
    replace(area, words, await send(area, file))
    say(area, t('{name} uploaded', { name }))
  } catch (error) {
    replace(area, `${words}\n`, '')
    const reason = error instanceof Error ? error.message : ''
    say(area, t('{name} was not uploaded. {reason}', { name, reason }))
  } finally {
    if (form) count(form, -1)
  }
}

async function attachAll(area: HTMLTextAreaElement, files: Iterable<File>): Promise<void> {
  for (const file of files) await attach(area, file)
}

document.addEventListener('paste', (event) => {
  const area = areaOf(event.target)
  const files = [...(event.clipboardData?.files ?? [])]
  // A spreadsheet puts its cells on the clipboard as text and as a picture.
  if (!area || files.length === 0 || event.clipboardData?.types.includes('text/plain')) return
  event.preventDefault()
  void attachAll(area, files)
})

const holdsFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes('Files') ?? false

document.addEventListener('dragover', (event) => {
  const area = areaOf(event.target)
  if (!area || !holdsFiles(event)) return
  event.preventDefault()
  area.classList.add('drop-target')
})
document.addEventListener('dragleave', (event) =>
  areaOf(event.target)?.classList.remove('drop-target'),
)
document.addEventListener('drop', (event) => {
  const area = areaOf(event.target)
  if (!area || !holdsFiles(event)) return
  event.preventDefault()
  area.classList.remove('drop-target')
  void attachAll(area, [...(event.dataTransfer?.files ?? [])])
})

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.dataset.attachTo) return
  const area = areaOf(document.getElementById(target.dataset.attachTo))
  const files = [...(target.files ?? [])]
  // The form sends no file that was uploaded already.
  target.value = ''
  if (area) void attachAll(area, files)
})

// Before the script that allows a form once.
document.addEventListener(
  'submit',
  (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || !pending.get(form)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    announce(t('Wait until the files are uploaded.'))
  },
  true,
)
