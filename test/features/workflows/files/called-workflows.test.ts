import { expect, test } from 'bun:test'
import { setSecret } from '#features/variables/set-secret.ts'
import { FILE, makeRunsWorld, REPO } from '../fixture.ts'

const call = (uses: string, more = ''): string => `on: push
jobs:
  call:
    uses: ${uses}
${more}`

const CALLEE = `on:
  workflow_call:
    secrets: { GIVEN: {} }
jobs:
  inner:
    runs-on: ubuntu-latest
    steps:
      - run: echo \${{ secrets.GIVEN }} \${{ secrets.OWN }} \${{ secrets.GITHUB_TOKEN }}
`
const CALLEE_FILE = '.hearth/workflows/callee.yml'

test('a called workflow reads the secrets that its caller passes, and no others', async () => {
  const { push, take, finish, world, ada } = await makeRunsWorld()
  for (const [setting, value] of [
    ['OWN', 'own value'],
    ['GIVEN', 'not passed'],
  ] as const)
    await world.call(setSecret, ada, { ...REPO, setting, value })
  const secretsWith = async (more: string) => {
    await push({ [FILE]: call(`./${CALLEE_FILE}`, more), [CALLEE_FILE]: CALLEE })
    const job = await take()
    await finish(job)
    return job?.secrets
  }
  expect(await secretsWith('')).toEqual({})
  expect(await secretsWith('    secrets: { GIVEN: "${{ secrets.OWN }}" }\n')).toEqual({
    GIVEN: 'own value',
  })
  expect(await secretsWith('    secrets: inherit\n')).toEqual({
    GIVEN: 'not passed',
    OWN: 'own value',
  })
})

test('a workflow of a public repository here can be called, one of a private one cannot', async () => {
  const { push, take, finish, jobs, runs, world, ada } = await makeRunsWorld()
  await world.workspace('tools', { owner: ada })
  const inner = `on: workflow_call
jobs: { deep: { uses: ./.hearth/workflows/deep.yml } }
`
  const deep = `on: workflow_call
jobs: { last: { runs-on: ubuntu-latest, steps: [{ run: make }] } }
`
  for (const [name, options] of [
    ['tools/open', { as: ada }],
    ['tools/shut', { as: ada, private: true }],
  ] as const) {
    await world.repo(name, options)
    await world.commit(
      name,
      'main',
      { '.hearth/workflows/inner.yml': inner, '.hearth/workflows/deep.yml': deep },
      { as: ada },
    )
  }
  await push({ [FILE]: call('tools/open/.hearth/workflows/inner.yml@main') })
  const job = await take()
  expect(job?.key).toBe('call / deep / last')
  await finish(job)
  expect((await runs())[0]).toMatchObject({ conclusion: 'success' })
  await push({ [FILE]: call('tools/shut/.hearth/workflows/inner.yml@main') })
  expect(await take()).toBeNull()
  const [refused] = await jobs((await runs())[0]?.id ?? '')
  expect(refused).toMatchObject({
    conclusion: 'failure',
    reason: 'There is no public repository tools/shut here. Import it, or copy its workflow.',
  })
})
