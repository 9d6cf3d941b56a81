/** Where an operation, its test and its table belong. */
import { basename } from 'node:path'
import { lineAt, roomOf, withoutComments, type Fault, type Source } from './source.ts'

const kebab = (name: string): string => name.replaceAll('_', '-')

/** An operation has the file that its name says, a test at the mirrored path and a line in `operations.ts`. */
export function checkOperations(
  sources: readonly Source[],
  files: ReadonlySet<string>,
  lists: ReadonlyMap<string, string> = new Map(),
): Fault[] {
  return sources
    .filter(({ file }) => file.startsWith('src/features/'))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/\boperation\(\{\s*name:\s*'([a-z_]+)'/g)].flatMap((match) => {
        const name = match[1] ?? ''
        const line = lineAt(text, match.index)
        const test = file.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts')
        const feature = file.split('/').slice(0, 3).join('/')
        const list = lists.get(`${feature}/operations.ts`)
        const messages: string[] = []
        if (basename(file) !== `${kebab(name)}.ts`)
          messages.push(`the operation ${name} belongs in ${kebab(name)}.ts`)
        if (!files.has(test)) messages.push(`the operation ${name} has no test at ${test}`)
        if (list !== undefined && !list.includes(`/${basename(file)}'`))
          messages.push(`the operation ${name} has no line in ${feature}/operations.ts`)
        return messages.map((message) => ({ file, line, message }))
      }),
    )
}

/** A list of operations holds exports and nothing else, so that a new operation is one line. */
export function checkLists(lists: ReadonlyMap<string, string>): Fault[] {
  return [...lists].flatMap(([file, text]) =>
    withoutComments(text)
      .split('\n')
      .flatMap((content, index) => {
        const isFine = /^(export \{ \w+ \} from '\.\/[a-z0-9/-]+\.ts')?$/.test(content.trim())
        return isFine ? [] : [{ file, line: index + 1, message: 'holds one export a line' }]
      }),
  )
}

/** Each table is written by one feature. */
export function checkTables(sources: readonly Source[]): Fault[] {
  const writers = new Map<string, { owner: string; file: string }>()
  const faults: Fault[] = []
  for (const { file, text } of sources) {
    if (!file.startsWith('src/features/') && !file.startsWith('src/core/')) continue
    const owner = roomOf(file)
    const statements = withoutComments(text).matchAll(
      /\b(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM)\s+([a-z_]+)\b(?=[\s(])/g,
    )
    for (const match of statements) {
      const table = match[1] ?? ''
      if (table === 'one' || table === 'set') continue
      const first = writers.get(table)
      if (!first) writers.set(table, { owner, file })
      else if (first.owner !== owner)
        faults.push({
          file,
          line: lineAt(text, match.index),
          message: `the table ${table} is written by ${first.owner} (${first.file})`,
        })
    }
  }
  return faults
}
