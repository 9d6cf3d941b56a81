import { expect, test } from 'bun:test'
import { foldQuery, parseText, queryPairs } from '#http/query.ts'
import {
  camelCase,
  fieldOf,
  inSnakeCase,
  shapeOf,
  unknownName,
  type Field,
  type JsonSchema,
} from '#http/shape.ts'

const fields = (properties: Record<string, JsonSchema>) =>
  new Map<string, Field>(
    Object.entries(properties).flatMap(([name, schema]) =>
      [name, camelCase(name)].map((spelling) => [spelling, fieldOf(name, schema)] as const),
    ),
  )

const text = { type: 'string' }
const fold = (query: string, properties: Record<string, JsonSchema>): Record<string, unknown> => {
  const input: Record<string, unknown> = {}
  foldQuery(query, fields(properties), input)
  return input
}

test('queries are read as forms write them', () => {
  expect(queryPairs('a=1&b=x+y&c=%26&d&=e&&f=a=b')).toEqual([
    ['a', '1'],
    ['b', 'x y'],
    ['c', '&'],
    ['d', ''],
    ['', 'e'],
    ['f', 'a=b'],
  ])
})

test('a text or several: one stays whole, commas and all', () => {
  const label: JsonSchema = { anyOf: [text, { type: 'array', items: text }] }
  expect(fold('label=a,b', { label })).toEqual({ label: 'a,b' })
  expect(fold('label=a&label=b&label=c', { label })).toEqual({ label: ['a', 'b', 'c'] })
  const ids: JsonSchema = { type: 'array', items: { type: 'integer' } }
  expect(fold('ids=1,2&ids=3&ids=x', { ids })).toEqual({ ids: [1, 2, 3, 'x'] })
})

test('numbers lose nothing and words are not guessed', () => {
  expect(parseText('integer', '12')).toBe(12)
  expect(parseText('integer', '12345678901234567890')).toBe('12345678901234567890')
  expect(parseText('integer', '1e3')).toBe('1e3')
  expect(parseText('boolean', 'yes')).toBe('yes')
  expect(parseText('boolean', 'constructor')).toBe('constructor')
})

test('names are put right where they are ours and left alone where they are not', () => {
  const shape = shapeOf({
    type: 'object',
    properties: {
      due_on: text,
      data: { type: 'object', properties: { kept_as: text }, 'x-free-form': true },
      rows: {
        type: 'array',
        items: {
          anyOf: [
            { type: 'object', properties: { from_line: { type: 'integer' } } },
            { type: 'null' },
          ],
        },
      },
    },
  })
  expect(
    inSnakeCase(shape, {
      dueOn: 'x',
      data: { keptAs: 1 },
      rows: [{ fromLine: 1 }, null, 'x'],
      other: 1,
    }),
  ).toEqual({
    due_on: 'x',
    data: { keptAs: 1 },
    rows: [{ from_line: 1 }, null, 'x'],
    other: 1,
  })
  expect(unknownName(shape, { due_on: 'x', data: { any: 1 }, rows: [{ from_line: 1 }] })).toBeNull()
  expect(unknownName(shape, { rows: [null, { fromLine: 1 }] })).toBe('rows[1].fromLine')
})
