import { expect, test } from 'bun:test'
import { deleteArtifact } from '#features/artifacts/delete-artifact.ts'
import { getArtifactLink } from '#features/artifacts/get-artifact-link.ts'
import { listArtifacts } from '#features/artifacts/list-artifacts.ts'
import { openArtifact } from '#features/artifacts/open-artifact.ts'
import { insertJob } from '#core/jobs.ts'
import { sweepArtifacts } from '#features/artifacts/sweep.ts'
import { anonymous } from '#core/caller.ts'
import { DAY } from '#lib/time.ts'
import { makeJobsWorld, REPO } from './fixture.ts'

const FILE = `on: push
jobs:
  build:
    runs-on: ubuntu-latest
    outputs: { id: '\${{ steps.up.outputs.artifact-id }}' }
    steps:
      - run: |
          mkdir -p out/deep/.hidden out/skip; printf 'one' >out/a.txt; printf 'two' >'out/deep/b c.txt'
          printf no >out/deep/.hidden/x; printf no >out/skip/y; ln -s a.txt out/link.txt
          head -c 3000000 /dev/urandom >out/large.bin; sha256sum out/large.bin >sum.txt
          printf '#!/bin/sh\\necho ran\\n' >out/tool; chmod +x out/tool
      - id: up
        uses: actions/upload-artifact@v4
        with: { name: files, path: "out/\\n!out/skip\\n", retention-days: 5 }
      - uses: actions/upload-artifact@v4
        with: { name: sum, path: sum.txt }
      - uses: actions/upload-artifact@v4
        with: { name: nothing, path: missing/**, if-no-files-found: ignore }
  use:
    needs: build
    runs-on: ubuntu-latest
    steps:
      - { uses: actions/download-artifact@v4, with: { name: files, path: got } }
      - { uses: actions/download-artifact@v4, with: { pattern: 's*', path: more } }
      - run: |
          cd got; find . -type f | sort | tr '\\n' ' '; cat a.txt 'deep/b c.txt' link.txt; ./tool
          sed 's,out/,,' ../more/sum/sum.txt | sha256sum -c
          echo "id \${{ needs.build.outputs.id }}"
`

test('a job uploads files, and a later one gets them as they were', async () => {
  const { world, ada, eve, push, logs } = await makeJobsWorld()
  const run = await push(FILE)
  const text = await logs(run.id)
  expect(text).toContain('./a.txt ./deep/b c.txt ./large.bin ./link.txt ./tool onetwooneran')
  expect(text).toContain('large.bin: OK')
  expect(text).toMatch(/id \d+/)
  expect(run.conclusion).toBe('success')

  const { items } = await world.call(listArtifacts, ada, { ...REPO, id: run.id })
  expect(items.map(({ name, expired }) => [name, expired])).toEqual([
    ['sum', false],
    ['files', false],
  ])
  const files = items[1]
  if (!files) throw new Error('there is no artifact')
  const days = (Date.parse(files.expires_at) - Date.parse(files.created_at)) / DAY
  expect(days).toBe(5)
  expect(files.digest).toMatch(/^sha256:[0-9a-f]{64}$/)

  const { url } = await world.call(getArtifactLink, ada, { ...REPO, id: files.id })
  const [, , , , token = ''] = url.split('/')
  const opened = await world.call(openArtifact, anonymous, { token })
  expect(opened).toMatchObject({ name: 'files', size_in_bytes: files.size_in_bytes })
  await expect(world.call(openArtifact, anonymous, { token: `${token}x` })).rejects.toThrow()
  world.clock.advance(11 * 60_000)
  await expect(world.call(openArtifact, anonymous, { token })).rejects.toThrow('expired')
  await expect(world.call(deleteArtifact, eve, { ...REPO, id: files.id })).rejects.toThrow()

  world.clock.advance(6 * DAY)
  await world.write((tx) => void insertJob(tx.db, sweepArtifacts, null, tx.now_ms))
  await world.jobs()
  const later = await world.call(listArtifacts, ada, { ...REPO, id: run.id })
  expect(later.items.map(({ name, expired }) => [name, expired])).toEqual([
    ['sum', false],
    ['files', true],
  ])
  await expect(world.call(getArtifactLink, ada, { ...REPO, id: files.id })).rejects.toThrow(
    'expired',
  )
  for (const { id } of later.items) await world.call(deleteArtifact, ada, { ...REPO, id })
  expect((await world.call(listArtifacts, ada, { ...REPO, id: run.id })).items).toEqual([])
})

test('a name is used once, unless the step says that it replaces', async () => {
  const { world, ada, push, logs } = await makeJobsWorld()
  const run = await push(`on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: echo 1 >a
      - { uses: actions/upload-artifact@v4, with: { name: x, path: a } }
      - run: echo 2 >a
      - { uses: actions/upload-artifact@v4, with: { name: x, path: a }, continue-on-error: true }
      - { uses: actions/download-artifact@v4, with: { name: x, path: one } }
      - { uses: actions/upload-artifact@v4, with: { name: x, path: a, overwrite: true } }
      - { uses: actions/download-artifact@v4, with: { name: x, path: two } }
      - { uses: actions/upload-artifact@v4, with: { name: ../x, path: a }, continue-on-error: true }
      - { uses: actions/download-artifact@v4, with: { name: y }, continue-on-error: true }
      - run: echo "got $(cat one/a) $(cat two/a)"
`)
  const text = await logs(run.id)
  expect(text).toContain('the run has an artifact x already')
  expect(text).toContain('got 1 2')
  expect(text).toContain('the name ../x contains a character')
  expect(text).toContain('The run has no artifact y. Those that can be downloaded: x')
  const { items } = await world.call(listArtifacts, ada, { ...REPO, id: run.id })
  expect(items.map(({ name }) => name)).toEqual(['x'])
})
