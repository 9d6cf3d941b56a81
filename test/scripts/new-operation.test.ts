import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newOperation } from '../../scripts/new-operation.ts'
import { checkLists, checkOperations } from '../../scripts/tidy/operations.ts'
import { checkSource } from '../../scripts/tidy.ts'

const root = join(import.meta.dir, '../..')
const features = readdirSync(join(root, 'src/features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => existsSync(join(root, 'src/features', name, 'operations.ts')))

for (const feature of features) {
  test(`a new operation of ${feature} is its file, its test and its line, all tidy`, () => {
    const files = newOperation(root, feature, 'pin_thing')
    const list = `src/features/${feature}/operations.ts`
    expect([...files.keys()]).toEqual([
      `src/features/${feature}/pin-thing.ts`,
      `test/features/${feature}/pin-thing.test.ts`,
      list,
    ])
    const text = files.get(list) ?? ''
    expect(text).toEndWith("export { pinThing } from './pin-thing.ts'\n")
    const sources = [...files].map(([file, content]) => ({ file, text: content }))
    const lists = new Map([[list, text]])
    expect(sources.flatMap(checkSource)).toEqual([])
    expect(checkOperations(sources, new Set(files.keys()), lists)).toEqual([])
    expect(checkLists(lists)).toEqual([])
  })
}

test('a folder of a feature may be named, and mistakes are named', () => {
  const files = newOperation(root, 'issues/labels', 'pin_label')
  expect([...files.keys()].slice(0, 2)).toEqual([
    'src/features/issues/labels/pin-label.ts',
    'test/features/issues/labels/pin-label.test.ts',
  ])
  expect(files.get('test/features/issues/labels/pin-label.test.ts')).toContain(
    "'../../../world.ts'",
  )
  expect(files.get('src/features/issues/operations.ts')).toContain("'./labels/pin-label.ts'")
  expect(() => newOperation(root, 'issues', 'PinIssue')).toThrow('verb_noun')
  expect(() => newOperation(root, 'none', 'pin_issue')).toThrow('no feature none')
  expect(() => newOperation(root, 'issues', 'get_issue')).toThrow('get-issue.ts exists')
  const empty = mkdtempSync(join(tmpdir(), 'hearth-new-'))
  expect(() => newOperation(empty, 'issues', 'pin_issue')).toThrow('no feature issues')
})
