/**
 * Begins an operation: `bun scripts/new-operation.ts issues pin_issue` writes its file, its test
 * and its line in the feature's `operations.ts`. A folder of the feature may be named too:
 * `issues/labels rename_label`. What is written compiles, and its test fails until the handler does
 * what the summary says.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/**
 * The files of one new operation, by path. Throws an Error when the name is not `verb_noun`, the
 * operation exists or the feature does not.
 */
export function newOperation(root: string, place: string, name: string): Map<string, string> {
  if (!/^[a-z]+(_[a-z]+)*$/.test(name))
    throw new Error('an operation is called verb_noun, in lowercase letters and underscores')
  const [feature = ''] = place.split('/')
  const list = `src/features/${feature}/operations.ts`
  if (!existsSync(join(root, `src/features/${feature}/index.ts`)))
    throw new Error(`there is no feature ${feature}`)
  if (!existsSync(join(root, list)))
    throw new Error(`${feature} has no operations.ts: write one and list it in index.ts`)
  const kebab = name.replaceAll('_', '-')
  const file = `src/features/${place}/${kebab}.ts`
  const test = file.replace('src/', 'test/').replace(/\.ts$/, '.test.ts')
  if (existsSync(join(root, file))) throw new Error(`${file} exists`)
  const value = camel(name)
  const path = `.${place.slice(feature.length)}/${kebab}.ts`
  const listed = `${readFileSync(join(root, list), 'utf8')}export { ${value} } from '${path}'\n`
  const up = '../'.repeat(place.split('/').length + 1)
  return new Map([
    [
      file,
      `import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'

export const ${value} = operation({
  name: '${name}',
  summary: 'Say what it does, who may call it and what the answer holds.',
  route: 'GET /repos/{owner}/{name}/${kebab}',
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: Type.Object({ id: Type.String() }),

  handler: ({ repo }) => ({ id: repo.id }),
})
`,
    ],
    [
      test,
      `import { expect, test } from 'bun:test'
import { ${value} } from '#features/${place}/${kebab}.ts'
import { makeWorld } from '${up}world.ts'

test('${name} does what a user asked for', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme')
  await world.repo('acme/site')
  expect(await world.call(${value}, ada, { repo: 'acme/site' })).toEqual({ id: 'say what a user would see' })
  expect(world.events()).toEqual([])
})
`,
    ],
    [list, listed],
  ])
}

if (import.meta.main) {
  const [place = '', name = ''] = process.argv.slice(2)
  const root = fileURLToPath(new URL('..', import.meta.url))
  try {
    for (const [path, text] of newOperation(root, place, name)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
      process.stdout.write(`${path}\n`)
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}
