/** `jose` stands for a cloud that trusts the forge: it reads the documents and verifies tokens. */
import { afterAll, expect, test } from 'bun:test'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose'
import { jobServices, type JobToRun } from '#features/workflows/index.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { MINUTE } from '#lib/time.ts'
import { setEnvironment } from '#features/environments/set-environment.ts'
import { FILE, makeRunsWorld, REPO } from '../fixture.ts'

const jobOf = (permissions: string, more = ''): string => `name: Deploy
on: [push, pull_request]
permissions: ${permissions}
jobs:
  deploy:
    runs-on: ubuntu-latest
    ${more}
    steps: [{ run: make }]
`
const WRITE = '{ id-token: write, contents: read }'

async function makeIdentityWorld() {
  const made = await makeRunsWorld()
  const { hearth } = made
  const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 2000 })
  server.open(hearth)
  afterAll(() => server.stop())
  const { site_url } = hearth.settings
  const here = (address: string): string => address.replace(site_url, server.url)
  const read = async (address: string) =>
    (await (await fetch(here(address))).json()) as Record<string, string>
  /** Asks as `@actions/core` does: with the variables of a step. */
  async function ask(job: JobToRun, audience?: string, token?: string) {
    const variables = jobServices(hearth, job)?.steps ?? {}
    const address =
      variables.ACTIONS_ID_TOKEN_REQUEST_URL ?? `${site_url}/api/actions/id-token?api-version=2.0`
    const bearer =
      token ?? variables.ACTIONS_ID_TOKEN_REQUEST_TOKEN ?? jobServices(hearth, job)?.token
    const query = audience === undefined ? '' : `&audience=${encodeURIComponent(audience)}`
    const answer = await fetch(here(address) + query, {
      headers: { authorization: `Bearer ${bearer}` },
    })
    const body = (await answer.json()) as { value?: string }
    return { status: answer.status, offered: variables, value: body.value ?? '' }
  }
  return {
    ...made,
    ask,
    /** Verifies a token as a relying party that knows the address of the issuer alone. */
    async verify(value: string, audience: string) {
      const issuer = `${site_url}/api/actions`
      const found = await read(`${issuer}/.well-known/openid-configuration`)
      const keys = (await read(found.jwks_uri ?? '')) as unknown as JSONWebKeySet
      const options = {
        issuer: found.issuer ?? '',
        audience,
        currentDate: new Date(made.world.clock.now()),
      }
      expect(found.issuer).toBe(issuer)
      return (await jwtVerify(value, createLocalJWKSet(keys), options)).payload
    },
    async begin(text: string, branch = 'main') {
      await made.push({ [FILE]: text }, { branch })
      const job = await made.take()
      if (!job) throw new Error('there is no job')
      return job
    },
  }
}

test('a relying party verifies who a job is, and that it is meant', async () => {
  const { world, hearth, ask, verify, begin } = await makeIdentityWorld()
  const job = await begin(jobOf(WRITE))
  const { status, value } = await ask(job, 'sts.amazonaws.com')
  expect(status).toBe(200)
  const claims = await verify(value, 'sts.amazonaws.com')
  const workflow_ref = `acme/site/${FILE}@refs/heads/main`
  expect(claims).toMatchObject({
    sub: 'repo:acme/site:ref:refs/heads/main',
    repository: 'acme/site',
    repository_owner: 'acme',
    repository_id: job.repo.id,
    repository_visibility: expect.stringMatching(/^(public|private)$/),
    ref: 'refs/heads/main',
    ref_type: 'branch',
    sha: job.run.sha,
    event_name: 'push',
    actor: 'ada',
    workflow: 'Deploy',
    workflow_ref,
    job_workflow_ref: workflow_ref,
    run_id: String(job.run.seq),
    run_attempt: '1',
    runner_environment: 'self-hosted',
  })
  expect(claims.environment).toBeUndefined()
  expect(decodeProtectedHeader(value).alg).toBe('RS256')
  await expect(verify(value, 'another')).rejects.toThrow('aud')
  const [head, , signature] = value.split('.')
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'repo:acme/other:ref:x' }))
  await expect(
    verify(`${head}.${forged.toString('base64url')}.${signature}`, 'sts.amazonaws.com'),
  ).rejects.toThrow('signature')
  const without = await ask(job)
  await verify(without.value, `${hearth.settings.site_url}/acme`)
  world.clock.advance(5 * MINUTE + 1000)
  await expect(verify(value, 'sts.amazonaws.com')).rejects.toThrow('exp')
  expect((await ask(job, 'a'.repeat(501))).status).toBe(422)
})

test('only jobs with the permission get one, while they run', async () => {
  const { ask, begin, finish } = await makeIdentityWorld()
  for (const permissions of ['{ contents: read }', 'read-all', '{ id-token: none }', '{}']) {
    const job = await begin(jobOf(permissions))
    const { status, offered } = await ask(job)
    expect([permissions, status, offered]).toEqual([permissions, 403, {}])
    // Neither does the token of the job, which is for REST and git.
    expect((await ask(job, undefined, job.token)).status).toBe(401)
    await finish(job)
  }
  const job = await begin(jobOf('write-all'))
  expect((await ask(job)).status).toBe(200)
  expect((await ask(job, undefined, 'x.y.z')).status).toBe(401)
  const { token = '' } = { token: (await ask(job)).offered.ACTIONS_ID_TOKEN_REQUEST_TOKEN }
  await finish(job)
  expect((await ask(job, undefined, token)).status).toBe(401)
})

test('a change from outside gets none, and a pull request is not its branch', async () => {
  const { world, ask, verify, begin } = await makeIdentityWorld()
  const job = await begin(jobOf(WRITE))
  const change = (set: string) =>
    world.write((tx) => void tx.db.run(`UPDATE workflow_runs SET ${set}`))
  await change("event_name = 'pull_request', ref = 'refs/pull/7/merge'")
  const { value } = await ask(job, 'x')
  expect((await verify(value, 'x')).sub).toBe('repo:acme/site:pull_request')
  await change('trusted = 0')
  expect((await ask({ ...job, isTrusted: false }, 'x')).offered).toEqual({})
  expect((await ask(job, 'x')).status).toBe(403)
})

test('the environment of a job is its subject, and cannot stand for another part', async () => {
  const { world, ada, ask, verify, begin } = await makeIdentityWorld()
  await world.call(setEnvironment, ada, { ...REPO, environment: 'live:ref' })
  const job = await begin(jobOf(WRITE, 'environment: live:ref'))
  const claims = await verify((await ask(job, 'x')).value, 'x')
  expect([claims.sub, claims.environment]).toEqual([
    'repo:acme/site:environment:live%3Aref',
    'live:ref',
  ])
})

test('a job of a called workflow says which file it stands in', async () => {
  const { push, take, ask, verify } = await makeIdentityWorld()
  const CALLED = '.hearth/workflows/called.yml'
  await push({
    [FILE]: `on: push
permissions: ${WRITE}
jobs:
  call:
    uses: ./${CALLED}
`,
    [CALLED]: `on: workflow_call
jobs:
  inner:
    runs-on: ubuntu-latest
    steps: [{ run: make }]
`,
  })
  const job = await take()
  if (!job) throw new Error('there is no job')
  const claims = await verify((await ask(job, 'x')).value, 'x')
  expect([claims.job_workflow_ref, claims.workflow_ref]).toEqual([
    `acme/site/${CALLED}@refs/heads/main`,
    `acme/site/${FILE}@refs/heads/main`,
  ])
})
