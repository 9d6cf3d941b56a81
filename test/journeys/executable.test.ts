/** What the executable is made of. */
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { partsOf } from '../../scripts/support/executable-parts.ts'
import { EXECUTABLE } from './forge.ts'

test('no code of the executable is stored at twice its size', () => {
  const { list } = partsOf(EXECUTABLE)
  expect(list.length).toBeGreaterThan(10)
  expect(list.filter(({ isWide }) => isWide).map(({ name }) => name)).toEqual([])
})

test('threads share the code that they have in common with the program', () => {
  const { list } = partsOf(EXECUTABLE)
  const engine = list.find(({ name }) => name.endsWith('/git/engine.worker.js'))
  // A thread with all of its code in its own file has half a megabyte of it.
  expect(engine?.source).toBeLessThan(50_000)
})

test('the executable has at most 165 MB', () => {
  expect(statSync(EXECUTABLE).size).toBeLessThan(165_000_000)
})
