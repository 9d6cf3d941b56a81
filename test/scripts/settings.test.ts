import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TABLES, withTable } from '../../scripts/settings.ts'

const root = join(import.meta.dir, '../..')

test('the guide names every setting and metric as the code has them', () => {
  for (const { name, file, table } of TABLES) {
    const text = readFileSync(join(root, file), 'utf8')
    expect(withTable(text, name, table())).toBe(text)
  }
})

test('a text without the marks is not written', () => {
  expect(() => withTable('# Hearth\n', 'settings', '| a |')).toThrow('no place for the table')
})
