/** Fixtures about tools: each line is a text, and the names of tools. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dir, '..', '..', 'fixtures', 'tools')

/** The lines of a fixture: a text, and names of tools. */
export const linesOf = (name: string): { text: string; tools: string[] }[] =>
  readFileSync(join(FOLDER, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [text = '', tools = ''] = line.split(' = ')
      return { text, tools: tools.split(' ') }
    })
