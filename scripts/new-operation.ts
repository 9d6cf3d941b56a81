/**
 * Begins an operation: `bun scripts/new-operation.ts issues pin_issue` writes its file, its test
 * and its line in the feature's index. What is written compiles and its test fails, until the
 * handler says what it does.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/**
 * The files that one new operation needs, by path. Gives an Error when it exists or the feature has
 * no list.
 */
export function newOperation(root: string, feature: string, name: string): Map<string, string> {
  if (!/^[a-z]+(_[a-z]+)*$/.test(name))
    throw new Error('an operation is called verb_noun, in lowercase letters and underscores')
  const file = `src/features/${feature}/${name.replaceAll('_', '-')}.ts`
  const test = file.replace('src/', 'test/').replace(/\.ts$/, '.test.ts')
  const index = `src/features/${feature}/index.ts`
  if (!existsSync(join(root, index))) throw new Error(`there is no feature ${feature}`)
  if (existsSync(join(root, file))) throw new Error(`${file} exists`)
  const value = camel(name)
  const list = readFileSync(join(root, index), 'utf8')
  const head = /operations:\s*\[/.exec(list)
  if (!head) throw new Error(`${index} has no list of operations`)
  const at = head.index + head[0].length
  const listed = `import { ${value} } from './${name.replaceAll('_', '-')}.ts'\n${list.slice(0, at)}${value}, ${list.slice(at)}`
  return new Map([
    [
      file,
      `import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'

export const ${value} = operation({
  name: '${name}',
  summary: 'Say what it does, who may call it and what the answer holds.',
  route: 'GET /repos/{owner}/{name}/${name.replaceAll('_', '-')}',
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
import { ${value} } from '#features/${feature}/${name.replaceAll('_', '-')}.ts'
import { makeWorld } from '../../world.ts'

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
    [index, listed],
  ])
}

if (import.meta.main) {
  const [feature = '', name = ''] = process.argv.slice(2)
  const root = fileURLToPath(new URL('..', import.meta.url))
  try {
    for (const [path, text] of newOperation(root, feature, name)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
      process.stdout.write(`${path}\n`)
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}
