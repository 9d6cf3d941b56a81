/** Hosts that `agents.hosts` names are reached from the box of a program, and no others. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { stopAllAgents } from '#features/agents/stop-all-agents.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { refusal } from '../../../world.ts'
import { REPO } from '../fixture.ts'
import { lineFor, readLines, way, type Place, type WayOut } from '../ways-out-cases.ts'
import { does, makeProgramWorld } from './fixture.ts'

const PROXY = 'http://127.0.0.1:9101'
// Programs do not use a proxy for 127.0.0.1, and these are of this machine too.
const [NAMED, PRIVATE] = ['127.0.0.2', '127.0.0.3']

const servers: { stop(force: boolean): Promise<void> }[] = []
afterAll(() => Promise.all(servers.map((server) => server.stop(true))))

function serve(hostname: string, port = 0): number {
  const server = Bun.serve({
    ...{ hostname, port },
    fetch: async (request) => {
      if (new URL(request.url).pathname === '/slow') await Bun.sleep(20_000)
      return new Response(`${request.method} ${await request.text()} ${request.headers.get('x')}\n`)
    },
  })
  servers.push(server)
  return server.port ?? 0
}

async function makeHostsWorld(command: (port: number) => string) {
  const port = serve(NAMED)
  const hosts = [`${NAMED}:${port}`, `${PRIVATE}:${port}`, 'registry.example:443']
  const base = await makeProgramWorld([does({ run: command(port) }, { say: 'Tried.' })], {
    settings: { agents: { at_once: 4, hosts }, outbound_allow: [`http://${NAMED}`] },
  })
  return { ...base, port, hosts }
}

const outputIn = (entries: readonly { kind: string; text: string }[]): string =>
  entries.find(({ kind }) => kind === 'result')?.text ?? ''

const networkIn = (entries: readonly { kind: string; tool: string | null; text: string }[]) =>
  entries.filter(({ kind, tool }) => kind === 'tool' && tool === 'network').map(({ text }) => text)

const curl = { programs: ['curl'] }
const answers = (request: string): WayOut['command'] => {
  const command = `test "$(curl -s -o /dev/null -w '%{http_code}' -m 5 ${request})" = 200`
  return ({ port }) => command.replaceAll('{port}', port)
}

/** Ways to hosts that are not named. `{port}` is the port of one that is. */
const WAYS: readonly WayOut[] = [
  way('another host', answers(`http://127.0.0.4:{port}/`), curl),
  way('another host by a tunnel', answers(`-p http://127.0.0.4:{port}/`), curl),
  way('a public host', answers('http://example.com/'), curl),
  way('a public host by a tunnel', answers('https://example.com/'), curl),
  way('another port of the host', answers(`http://${NAMED}:1{port}/`), curl),
  way('this machine', answers(`--noproxy '' http://127.0.0.1:{port}/`), curl),
  way('this machine by a tunnel', answers(`--noproxy '' -p http://127.0.0.1:{port}/`), curl),
  way('this machine by its name', answers(`--noproxy '' -p http://localhost:{port}/`), curl),
  way('the addresses of the cloud', answers('http://169.254.169.254/latest/meta-data/'), curl),
  way('a named host that is private', answers(`http://${PRIVATE}:{port}/`), curl),
  way('a named host that is private, by a tunnel', answers(`-p http://${PRIVATE}:{port}/`), curl),
  way('a name that begins like one', answers(`-p http://${NAMED}.example:{port}/`), curl),
  way('a name before the host', answers(`-p http://${NAMED}:{port}@127.0.0.4:{port}/`), curl),
  way(
    'a host that only the header names',
    answers(`-H 'Host: ${NAMED}:{port}' http://127.0.0.4:{port}/`),
    curl,
  ),
  way('the proxy as a server', answers(`--noproxy '*' ${PROXY}/`), curl),
  way('the door through the proxy', answers(`--noproxy '' http://127.0.0.1:9100/v1/models`), curl),
  way('the host without the proxy', answers(`--noproxy '*' http://${NAMED}:{port}/`), curl),
  way('the end of the proxy', () => 'rm /run/door/proxy', { programs: [] }),
]

describe('with hosts', () => {
  let text = ''
  let lines: string[] = []
  let [at, prompt] = [0, '']
  const seen = new Map<number, string>()

  beforeAll(async () => {
    const { world, assign, entries, provider, port, hosts } = await makeHostsWorld((port) => {
      const place: Place = { data: '', port: String(port), pid: process.pid }
      serve('127.0.0.4', port)
      serve(PRIVATE, port)
      return [
        `curl -s -m 5 -H 'x: 1' -d body http://${NAMED}:${port}/`,
        `curl -s -m 5 -p -H 'x: 2' http://${NAMED}:${port}/`,
        ...WAYS.map((one, number) => lineFor(one, number, place)),
      ].join('\n')
    })
    const { pull } = await assign()
    await world.jobs()
    const written = await entries(pull.number)
    text = outputIn(written)
    lines = networkIn(written)
    at = port
    prompt = JSON.stringify(provider.asked[0]?.body)
    expect(prompt).toContain(hosts.join(', '))
    for (const [number, word] of readLines(text)) seen.set(number, word)
  }, 60_000)

  test('a named host is reached, unencrypted and by a tunnel, with what is sent', () => {
    expect(text).toContain('POST body 1\nGET  2\n')
  })

  for (const [number, { what }] of WAYS.entries())
    test(`refused: ${what}`, () => {
      expect(seen.get(number) ?? 'not tried').toBe('SHUT')
    })

  test('each host is a line of the session, once, with the reason where it is refused', () => {
    expect(lines).toContain(`${NAMED}:${at}`)
    expect(new Set(lines).size).toBe(lines.length)
    const refused = lines.filter((line) => line !== `${NAMED}:${at}`)
    expect(refused).toContain(`127.0.0.4:${at}: agents of this repository do not reach this host`)
    expect(refused.find((line) => line.startsWith(PRIVATE))).toContain('outbound.allow')
  })
})

test('a repository narrows the hosts, to none where it says so', async () => {
  const { world, assign, ada, entries, port, hosts } = await makeHostsWorld(
    (port) =>
      `env | grep -ci _proxy; curl -s -m 5 -x ${PROXY} http://${NAMED}:${port}/ || echo SHUT`,
  )
  const [named = ''] = hosts
  const set = (agent_hosts: string[] | null) =>
    world.call(updateRepoSettings, ada, { repo: REPO, agent_hosts })
  expect(await refusal(set(['evil.example:443']))).toMatchObject({ field: 'agent_hosts' })
  expect((await set([named])).agent_hosts).toEqual([named])
  await set([])
  const { number } = (await assign()).pull
  await world.jobs()
  expect(outputIn(await entries(number)).trim()).toBe('0\nSHUT')
  expect(networkIn(await entries(number))).toEqual([])
  expect(port).toBeGreaterThan(0)
})

test('a stop ends a request that is under way', async () => {
  const { world, assign, ada, run, entries } = await makeHostsWorld(
    (port) => `curl -s -p http://${NAMED}:${port}/slow`,
  )
  const { number } = (await assign()).pull
  const jobs = world.jobs()
  while (networkIn(await entries(number)).length === 0) await Bun.sleep(20)
  const begun = performance.now()
  await world.call(stopAllAgents, ada, { repo: REPO, reason: 'enough' })
  await jobs
  expect(performance.now() - begun).toBeLessThan(10_000)
  expect(run()).toMatchObject({ state: 'stopped' })
})
