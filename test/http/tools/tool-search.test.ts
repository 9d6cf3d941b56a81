/** What users ask for finds the tool that does it. */
import { expect, test } from 'bun:test'
import { ToolSearch } from '#http/tools/tool-search.ts'
import { stemOf, stemsOf } from '#http/tools/tool-words.ts'
import { makeWorld } from '../../world.ts'
import { linesOf } from './questions.ts'

const world = await makeWorld()
const operations = world.hearth.operations.filter(({ tool }) => tool)
const search = new ToolSearch(operations)

/** The questions whose tool is not among the first `count`, with what was found. */
const missed = (name: string, count: number): string[] =>
  linesOf(name).flatMap(({ text, tools }) => {
    const found = search.find(text, count).map((operation) => operation.name)
    return found.some((one) => tools.includes(one)) ? [] : [`${text}: ${found.join(', ')}`]
  })

test('the fixtures name tools that exist', () => {
  const names = new Set(operations.map(({ name }) => name))
  for (const file of ['known-questions.txt', 'unknown-questions.txt', 'tasks.txt'])
    for (const { text, tools } of linesOf(file))
      expect([text, tools.filter((tool) => !names.has(tool))]).toEqual([text, []])
})

test('19 of 20 known questions find their tool first', () => {
  const questions = linesOf('known-questions.txt')
  expect(questions.length).toBeGreaterThanOrEqual(60)
  const late = missed('known-questions.txt', 1)
  expect([late, late.length <= questions.length / 20]).toEqual([late, true])
})

test('95 percent of unknown questions find their tool among the first eight', () => {
  const questions = linesOf('unknown-questions.txt')
  expect(questions.length).toBeGreaterThanOrEqual(40)
  const lost = missed('unknown-questions.txt', 8)
  expect([lost, lost.length <= questions.length / 20]).toEqual([lost, true])
})

test('every tool is found by its own name, and by its aliases', () => {
  for (const { name, aliases } of operations)
    for (const one of [name, ...aliases])
      expect([one, search.find(one.replaceAll('_', ' '), 3).map((found) => found.name)]).toEqual([
        one,
        expect.arrayContaining([name]),
      ])
})

test('forms of a word have one stem, and stop words have none', () => {
  for (const forms of [
    ['merge', 'merges', 'merged', 'merging'],
    ['branch', 'branches'],
    ['repository', 'repositories'],
    ['stop', 'stopped', 'stopping'],
    ['protect', 'protects', 'protected', 'protection'],
    ['invite', 'invited', 'invitation', 'invitations'],
    ['release', 'released', 'releases'],
  ])
    expect(new Set(forms.map(stemOf)).size).toBe(1)
  expect(stemsOf('How can I undo a merge request?')).toEqual(['undo', 'pull'])
  expect(stemsOf('')).toEqual([])
})

test('words that no tool has find nothing', () => {
  expect(search.find('zzz qqq', 8)).toEqual([])
  expect(search.find('x'.repeat(200), 8)).toEqual([])
})
