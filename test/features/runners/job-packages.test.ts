/** Jobs publish and install with the settings that they find in their home. */
import { expect, test } from 'bun:test'
import { getPackageVersion } from '#features/packages/get-package-version.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { makeDoorWorld, REPO } from './door-fixture.ts'

const forge = await makeDoorWorld('none')

const run = (lines: string): string =>
  `      - run: |\n${lines.trim().replaceAll(/^ */gm, '          ')}\n`

/** A package in a folder of its own, without a word about registries. */
const makePackage = (version: string): string =>
  `mkdir hello && cd hello && echo '{"name":"@acme/hello","version":"${version}"}' >package.json`

const address = { workspace: 'acme', package_type: 'npm', package_name: '@acme/hello' } as const

test('a job that may not publish knows the registries, and takes no scope from another one', async () => {
  const { output, conclusion } = await forge.run(
    run('cat ~/.npmrc && stat -c %a ~/.npmrc ~/.gem/credentials ~/.docker/config.json'),
    '{ packages: read }',
  )
  expect(conclusion).toBe('success')
  expect(output).toBe(`//hearth.localhost:47100/packages/acme/npm/:_authToken=***
//forge.example.test/packages/acme/npm/:_authToken=***
600
600
600`)
})

test('npm publish in a job needs no line and no secret', async () => {
  const {
    output,
    conclusion,
    run: run_id,
  } = await forge.run(
    run(`
      ${makePackage('1.0.0')} && npm publish --no-update-notifier && cd ..
      mkdir user && cd user && npm install --no-update-notifier --no-audit @acme/hello && cat node_modules/@acme/hello/package.json
    `),
    '{ packages: write, contents: read }',
  )
  expect(output).toContain('{"name":"@acme/hello","version":"1.0.0"}')
  expect(conclusion).toBe('success')
  const { world, ada } = forge
  const { repository, visibility } = await world.call(getPackage, ada, address)
  expect([repository?.full_name, visibility]).toEqual([REPO.repo, 'private'])
  const { published_from } = await world.call(getPackageVersion, ada, {
    ...address,
    version: '1.0.0',
  })
  expect(published_from?.run_id).toBe(run_id as string)
})

test('a job that reads installs what the workspace has', async () => {
  const { output, conclusion } = await forge.run(
    run(`
      npm view --no-update-notifier @acme/hello version
      ! (${makePackage('1.0.1')} && npm publish --no-update-notifier)
    `),
    '{ packages: read }',
  )
  expect(output).toMatch(/^1\.0\.0\n/)
  expect(output).toContain('403')
  expect(conclusion).toBe('success')
})

test('steps of a job without the permission find no token in their home', async () => {
  const { output } = await forge.run(run('ls -A ~ | wc -l'), '{ contents: write }')
  expect(output).toBe('0')
})

test('no log shows the token, however the settings hold it', async () => {
  const { shown } = await forge.run(run('cd ~ && cat $(find . -type f)'), '{ packages: write }')
  expect(shown).toContain('"auth":"')
  expect(shown).toContain('<password>***</password>')
  expect(shown).not.toMatch(/hth[a-z]_/)
  for (const [text] of shown.matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g))
    expect(Buffer.from(text, 'base64').toString()).not.toMatch(/hth[a-z]_[0-9A-Za-z]{4}/)
})
