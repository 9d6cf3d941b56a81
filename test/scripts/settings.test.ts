import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS } from '#src/config.ts'
import { withTables } from '../../scripts/settings.ts'

const readme = readFileSync(join(import.meta.dir, '../../README.md'), 'utf8')

test('the README names every setting and number as the code has them', () => {
  expect(withTables(readme)).toBe(readme)
  for (const name of Object.keys(SETTINGS)) expect(readme).toContain(`| \`${name}\``)
})

test('a README without its places is not written', () => {
  expect(() => withTables('# Hearth\n')).toThrow('no place for settings')
})
