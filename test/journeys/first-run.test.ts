/**
 * The way of somebody new, with what the pages offer and nothing else: `bun test/system/first-run.ts`
 * prints its times.
 */
import { expect, test } from 'bun:test'
import { firstRun } from '../system/first-run.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

test('from the setup link to a pushed repository it takes four fields, three presses and lines to paste', async () => {
  await requireExecutable()
  const { steps, fields, presses, pastes } = await firstRun([EXECUTABLE])
  expect([fields, presses, pastes]).toEqual([4, 3, 1])
  expect(steps.at(-1)?.name).toBe('the page shows the files by itself')
}, 120_000)
