/**
 * The whole loop, as a stranger would walk it: from an empty directory to a merged pull request, in
 * a browser without JavaScript, with real git, over REST and through an MCP client.
 */
import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { api, git, startForge, visitor, withToken } from './forge.ts'

const PASSWORD = 'correct horse battery'

test('from the first start to a merged pull request', async () => {
  const forge = await startForge()
  expect(forge.setup).toStartWith(`${forge.url}/setup?code=`)

  // A fresh installation cannot be claimed by whoever finds it first.
  for (const code of ['', '?code=', '?code=guess'])
    expect((await fetch(`${forge.url}/setup${code}`)).status).toBe(404)

  // The first account, in a browser without JavaScript.
  const { page, problems } = await visitor({ javaScript: false })
  await page.goto(forge.setup ?? '')
  await page.fill('[name=username]', 'ada')
  await page.fill('[name=email]', 'ada@example.com')
  await page.fill('[name=password]', PASSWORD)
  await page.fill('[name=workspace]', 'acme')
  await page.click('main button')
  expect(new URL(page.url()).pathname).toBe('/')
  expect((await fetch(forge.setup ?? '')).status).toBe(404)

  // A token, shown once.
  await page.goto(`${forge.url}/settings/tokens`)
  await page.fill('[name=name]', 'laptop')
  await page.click('main form[action="/settings/tokens"] button')
  const token = (await page.textContent('#token-secret'))?.trim() ?? ''
  expect(token).toMatch(/^hthu_[0-9A-Za-z]{46}$/)
  await page.goto(`${forge.url}/settings/tokens`)
  expect(await page.content()).not.toContain(token)

  // A repository, and a first push with real git.
  await page.goto(`${forge.url}/new`)
  await page.fill('[name=name]', 'site')
  await page.check('[name=private][value=false]')
  await page.click('main button')
  expect(new URL(page.url()).pathname).toBe('/acme/site')
  const work = mkdtempSync(join(tmpdir(), 'hearth-work-'))
  const remote = `${forge.url}/acme/site.git`
  await git(work, 'init', '-q', '-b', 'main')
  writeFileSync(join(work, 'README.md'), '# Site\n\nA *small* one.\n')
  writeFileSync(join(work, 'door.txt'), 'squeak\n')
  await git(work, 'add', '.')
  await git(work, 'commit', '-q', '-m', 'Begin')
  await git(work, 'push', '-q', withToken(remote, token), 'main')
  await page.goto(`${forge.url}/acme/site`)
  expect(await page.textContent('main')).toContain('door.txt')
  expect(await page.locator('.md h1').first().textContent()).toContain('Site')

  // The main branch is protected from now on: nobody rewrites it, also not its owner.
  await git(work, 'commit', '-q', '--amend', '-m', 'Rewritten')
  const forced = git(work, 'push', '-q', '--force', withToken(remote, token), 'main')
  await expect(forced).rejects.toThrow(/protected/)
  await git(work, 'reset', '-q', '--hard', 'HEAD@{1}')

  // An issue with a check, on the page.
  await page.goto(`${forge.url}/acme/site/issues/new`)
  await page.fill('[name=title]', 'The door squeaks')
  await page.fill('[name=body]', 'Oil it, <script>alert(1)</script>please.')
  await page.fill('[name=labels]', 'bug')
  await page.click('main form[action$="/issues/new"] button')
  expect(new URL(page.url()).pathname).toBe('/acme/site/issues/1')
  expect(await page.textContent('h1')).toContain('The door squeaks')
  expect(await page.locator('main script').count()).toBe(0)

  // The agent's part, through the tool server and git.
  const client = new Client({ name: 'journey', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${forge.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args })
    return {
      error: result.isError === true,
      data: result.structuredContent as Record<string, unknown>,
    }
  }
  const tools = (await client.listTools()).tools.map((tool) => tool.name)
  expect(tools).toContain('create_pull')
  const { data: made } = await call('create_pull', { repo: 'acme/site', issue: 1, agent: 'fixer' })
  const pull = made.pull as { number: number; status: string }
  const remoteOf = made.git as { remote: string }
  expect([pull.number, pull.status]).toEqual([2, 'draft'])
  expect(remoteOf.remote).toBe(`${forge.url}/acme/site/pull/2.git`)

  const agent = mkdtempSync(join(tmpdir(), 'hearth-agent-'))
  await git(agent, 'clone', '-q', withToken(remoteOf.remote, token), 'work')
  const clone = join(agent, 'work')
  writeFileSync(join(clone, 'door.txt'), 'silence\n')
  await git(clone, 'commit', '-q', '-am', 'Oil the door')
  const { error: notReady, data: why } = await call('mark_pull_ready', {
    repo: 'acme/site',
    number: 2,
    summary: 'Too early',
  })
  expect(notReady).toBe(true)
  expect((why.error as { reason: string }).reason).toBe('not_ready')
  await git(clone, 'push', '-q', 'origin', 'HEAD')
  await call('append_session', {
    repo: 'acme/site',
    number: 2,
    entries: [
      { kind: 'message', text: 'The hinge is dry.' },
      { kind: 'tool', tool: 'sed', text: 's/squeak/silence/' },
      { kind: 'summary', text: 'Oiled the hinge.' },
    ],
  })
  const { data: ready } = await call('mark_pull_ready', {
    repo: 'acme/site',
    number: 2,
    summary: 'Oil the hinge. It is quiet now.',
  })
  expect(ready.status).toBe('open')

  // The person looks at the change and the session, and merges.
  await page.goto(`${forge.url}/acme/site/pull/2/changes`)
  expect(await page.textContent('main')).toContain('silence')
  await page.goto(`${forge.url}/acme/site/pull/2/session`)
  expect(await page.textContent('main')).toContain('Oiled the hinge.')
  await page.goto(`${forge.url}/acme/site/pull/2`)
  await page.click('form[action$="/merge"] button')
  expect(await page.textContent('main')).toContain('merged')

  // Everything agrees: the ref, the issue, the timeline, over REST, to anybody.
  const anyone = api(forge, null)
  const merged = (await anyone('GET', '/v1/repos/acme/site/pulls/2')).body as Record<
    string,
    unknown
  >
  expect([merged.status, merged.mergedBy]).toEqual(['merged', 'ada'])
  const detail = (await anyone('GET', '/v1/repos/acme/site/issues/1')).body as {
    issue: Record<string, unknown>
    pulls: Record<string, unknown>[]
  }
  expect([
    detail.issue.state,
    detail.issue.reason,
    detail.issue.resolvedBy,
    detail.pulls[0]?.mergedBy,
  ]).toEqual(['closed', 'completed', 2, 'ada'])
  const timeline = (await anyone('GET', '/v1/repos/acme/site/events')).body as { type: string }[]
  expect(timeline.map(({ type }) => type)).toContain('pull.merged')
  await git(work, 'pull', '-q', remote, 'main')
  expect(await Bun.file(join(work, 'door.txt')).text()).toBe('silence\n')
  expect(await git(work, 'log', '-1', '--format=%H %B')).toContain(
    merged.merge_commit_sha as string,
  )
  expect(await git(work, 'log', '-1', '--format=%B')).toContain('Pull-Request: acme/site#2')

  // Bad tokens are refused and never taken for no token.
  expect((await api(forge, 'hthu_nonsense')('GET', '/v1/repos/acme/site')).status).toBe(401)
  const basic = `Authorization: Basic ${Buffer.from('x:hthu_nonsense').toString('base64')}`
  expect(git(work, '-c', `http.extraHeader=${basic}`, 'ls-remote', remote)).rejects.toThrow(
    /Authentication failed|could not read Username/,
  )
  expect(problems).toEqual([])

  // It stops cleanly and starts again with everything there.
  expect(await forge.stop()).toBe(0)
  const again = await startForge({ directory: forge.directory, setup: false })
  expect(again.setup).toBeNull()
  expect(
    (
      (await api(again, null)('GET', '/v1/repos/acme/site/issues/1')).body as {
        issue: { state: string }
      }
    ).issue.state,
  ).toBe('closed')
}, 120_000)
