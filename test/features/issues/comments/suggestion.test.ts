import { expect, test } from 'bun:test'
import { suggestedText } from '#features/issues/comments/suggestion.ts'

test.each([
  ['the first of two', '```suggestion\na\n```\n```suggestion\nb\n```', 'a'],
  ['several lines, empty ones too', 'x\n```suggestion\na\n\n  b\n```\ny', 'a\n\n  b'],
  ['no lines at all: a deletion', '```suggestion\n```', ''],
  ['line ends of another system', '```suggestion\r\na\r\n```\r\n', 'a'],
  ['a longer fence that holds a shorter one', '````suggestion\n```\na\n```\n````', '```\na\n```'],
  ['tildes', '~~~ suggestion\na\n~~~', 'a'],
  ['words after the first of the info string', '```suggestion now\na\n```', 'a'],
  ['no end', '```suggestion\na', 'a'],
  ['after another block', '```ts\nlet a\n```\n\n```suggestion\nb\n```', 'b'],
  ['inside another block', '```md\n~~~suggestion\na\n~~~\n```', null],
  ['inside a block without an end', '```\n~~~suggestion\na', null],
  ['another language', '```suggestions\na\n```', null],
  ['indented so far that it is no fence', '    ```suggestion\n    a\n    ```', null],
  ['none', 'suggestion: do it', null],
])('%s', (_, body, text) => {
  expect(suggestedText(body)).toBe(text)
})
