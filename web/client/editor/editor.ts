// The code editor: lines, colours, indentation and search. It takes the place of a textarea, keeps
// it up to date, and is a file of its own, which only pages with an editor load.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from '@codemirror/view'
import { loadLanguage } from './languages.ts'
import { colours, theme } from './theme.ts'
import { t } from '../texts.ts'

/** The indentation that most of the first lines have. Two spaces when none is indented. */
function indentationOf(text: string): string {
  const counts = new Map<string, number>()
  for (const line of text.split('\n', 500)) {
    const [indent = ''] = /^(?:\t| {2,8}(?=\S))/.exec(line) ?? []
    if (indent !== '') counts.set(indent, (counts.get(indent) ?? 0) + 1)
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['  ', 0])[0]
}

/** The words of the search panel. */
const PHRASES = {
  Find: t('Find'),
  Replace: t('Replace'),
  next: t('Next'),
  previous: t('Previous'),
  all: t('Select all'),
  'match case': t('Match case'),
  regexp: t('Regular expression'),
  'by word': t('Whole words'),
  replace: t('Replace'),
  'replace all': t('Replace all'),
  close: t('Close'),
}

/** What the editor does for every file. */
const COMMON = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightActiveLine(),
  highlightSpecialChars(),
  drawSelection(),
  history(),
  indentOnInput(),
  bracketMatching(),
  highlightSelectionMatches(),
  search({ top: true }),
  EditorState.tabSize.of(4),
  EditorState.phrases.of(PHRASES),
  syntaxHighlighting(colours),
  theme,
]
const KEYS = [...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]
const KEYS_ID = 'editor-keys'

/** Keeps a textarea and its form up to date with the editor. */
const boundTo = (area: HTMLTextAreaElement): Extension => [
  indentUnit.of(indentationOf(area.value)),
  EditorView.contentAttributes.of({
    'aria-label': area.getAttribute('aria-label') ?? t('Content'),
    'aria-describedby': KEYS_ID,
    // It is reached by Tab as it is. This says so to tools that do not know editable elements.
    tabindex: '0',
  }),
  keymap.of([
    {
      key: 'Mod-Enter',
      run: () => {
        area.form?.requestSubmit()
        return true
      },
    },
    ...KEYS,
  ]),
  EditorView.updateListener.of((update: ViewUpdate) => {
    if (!update.docChanged) return
    area.value = update.state.doc.toString()
    // Drafts listen to the textarea.
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }),
]

/** Tells screen readers how to leave the editor. Descriptions are looked up in the same root. */
function describeKeys(root: ShadowRoot): void {
  const keys = document.createElement('p')
  keys.id = KEYS_ID
  keys.hidden = true
  keys.textContent = t('Tab indents. Press Escape, then Tab, to leave the editor.')
  root.append(keys)
}

/** Replaces a textarea by the editor. `path` is the field with the name of the file. */
export function openEditor(area: HTMLTextAreaElement, path: HTMLInputElement | null): void {
  const isFocused = document.activeElement === area
  const host = document.createElement('div')
  host.className = 'code-editor'
  area.before(host)
  area.hidden = true
  const root = host.attachShadow({ mode: 'open' })
  const language = new Compartment()
  const state = EditorState.create({
    doc: area.value,
    // Who already writes in the textarea goes on at the same place.
    ...(isFocused && { selection: { anchor: area.selectionStart, head: area.selectionEnd } }),
    extensions: [COMMON, boundTo(area), language.of([])],
  })
  const view = new EditorView({ root, parent: root, state })
  describeKeys(root)
  const showLanguage = async () => {
    const name = path?.value ?? ''
    const found = await loadLanguage(name)
    if (name === (path?.value ?? '')) view.dispatch({ effects: language.reconfigure(found ?? []) })
  }
  void showLanguage()
  path?.addEventListener('change', () => void showLanguage())
  area.labels[0]?.addEventListener('click', () => view.focus())
  if (isFocused) view.focus()
}
