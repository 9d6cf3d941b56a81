import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newOperation } from '../../scripts/new-operation.ts'
import { checkOperations, checkSource } from '../../scripts/tidy.ts'

test('a new operation is its file, its test and its line, and all three are tidy', () => {
  const root = mkdtempSync(join(tmpdir(), 'hearth-new-'))
  mkdirSync(join(root, 'src/features/issues'), { recursive: true })
  writeFileSync(
    join(root, 'src/features/issues/index.ts'),
    `export const feature = { name: 'issues', operations: [closeIssue] }\n`,
  )
  const files = newOperation(root, 'issues', 'pin_issue')
  expect([...files.keys()]).toEqual([
    'src/features/issues/pin-issue.ts',
    'test/features/issues/pin-issue.test.ts',
    'src/features/issues/index.ts',
  ])
  const sources = [...files].map(([file, text]) => ({ file, text }))
  expect(sources.flatMap(checkSource)).toEqual([])
  expect(checkOperations(sources, new Set(files.keys()))).toEqual([])
  expect(files.get('src/features/issues/index.ts')).toContain('operations: [pinIssue, closeIssue]')
  expect(() => newOperation(root, 'issues', 'PinIssue')).toThrow('verb_noun')
  expect(() => newOperation(root, 'none', 'pin_issue')).toThrow('no feature none')
  rmSync(root, { recursive: true })
})
