// The editor in the colours of the site. Its style sheet is in a shadow root, because the content
// security policy allows no style elements; the colours are custom properties, which are inherited.
import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export const theme = EditorView.theme({
  '&': {
    backgroundColor: 'var(--raised)',
    color: 'var(--code-text)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--round-s)',
    fontSize: '0.8125rem',
    minHeight: '20rem',
    maxHeight: '75vh',
  },
  '&.cm-focused': { outline: 'var(--ring)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.25rem', minHeight: '20rem' },
  '.cm-content': { caretColor: 'var(--accent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text-soft)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'var(--info-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark-line)', outline: '1px solid var(--wait)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--add-word)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--plain-soft)',
    outline: '1px solid var(--line-strong)',
  },
  '.cm-panels': {
    backgroundColor: 'var(--canvas)',
    color: 'var(--text)',
    borderBottom: '1px solid var(--line)',
    fontFamily: 'var(--sans)',
  },
  '.cm-panel.cm-search': { padding: '0.5rem 2rem 0.5rem 0.5rem' },
  '.cm-panel.cm-search label': { fontSize: '0.8125rem', color: 'var(--text)' },
  '.cm-textfield': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
    fontSize: '0.8125rem',
    minHeight: '1.75rem',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
    fontSize: '0.8125rem',
    minHeight: '1.75rem',
  },
  '.cm-panel.cm-search [name=close]': {
    color: 'var(--text)',
    minWidth: '1.5rem',
    minHeight: '1.5rem',
  },
})

export const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.tagName, tags.heading], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.regexp, tags.monospace], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.atom, tags.link, tags.url], color: 'var(--code-number)' },
  {
    tag: [tags.definition(tags.variableName), tags.function(tags.variableName)],
    color: 'var(--code-title)',
  },
  { tag: [tags.typeName, tags.className, tags.standard(tags.name)], color: 'var(--code-type)' },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--code-name)' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.strong, tags.heading], fontWeight: '650' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
])
