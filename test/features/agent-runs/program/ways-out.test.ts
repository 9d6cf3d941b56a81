/** Ways out of the box of an agent program. Its door leads to the model gateway, and nowhere else. */
import { expect, test } from 'bun:test'
import { makeProgramWorld } from './fixture.ts'

const DOOR = 'http://127.0.0.1:9100'
const status = (request: string): string =>
  `test "$(curl -s -o /dev/null -w '%{http_code}' -m 5 ${request})" = 200`

/** Each succeeds where it gets out. */
const waysOut = (data: string, port: string): string[] => [
  // Other addresses at the door, in all spellings.
  status(`${DOOR}/api/v1/user`),
  status(`${DOOR}/`),
  status(`${DOOR}/settings/tokens`),
  status(`${DOOR}/mcp`),
  status(`--path-as-is ${DOOR}/v1/../../api/v1/user`),
  status(`--path-as-is ${DOOR}/model/v1/models/../../../api/v1/user`),
  status(`${DOOR}/v1/%2e%2e/%2e%2e/api/v1/user`),
  status(`${DOOR}/v1%2f..%2fapi`),
  status(`${DOOR}//api/v1/user`),
  status(`--request-target http://127.0.0.1:${port}/api/v1/user ${DOOR}/x`),
  status(`--unix-socket /run/door/socket http://hearth/api/v1/user`),
  status(`-x ${DOOR} http://127.0.0.1:${port}/`),
  // Other machines, this machine and its cloud.
  `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`,
  status(`http://169.254.169.254/`),
  'getent hosts example.com',
  'grep -v lo: /proc/net/dev | grep :',
  // Files and processes of the server. The gateway takes its key out of what a model says, so the
  // pattern spells it in another way.
  `ls ${data}`,
  `cat ${data}/hearth.db`,
  'rm /run/door/socket',
  'touch /run/door/x',
  'echo x > /run/input/forward.cjs',
  "tr '\\0' '\\n' < /proc/1/environ | grep -v HEARTH_MODEL | grep -i -E 'hearth_|s[k]-test'",
  "env | grep -i -E 's[k]-test|hrt_'",
  'ls -A /root | grep .',
  'unshare -U true',
  'unshare -n true',
  'mount -t tmpfs none /mnt',
  "find / -xdev -type s 2>/dev/null | grep -v '^/run/door/socket$'",
]

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

test('ways out of the box lead nowhere', async () => {
  let command = ''
  const { world, assign, entries, provider } = await makeProgramWorld([
    () => ({ text: JSON.stringify([{ run: command }, { say: 'Tried.' }]) }),
  ])
  const ways = waysOut(world.data, new URL(provider.url).port)
  command = [
    // The door itself is open.
    `${status(`${DOOR}/v1/models`)} && echo DOOR`,
    ...ways.map((way, at) => `timeout 8 sh -c ${quoted(way)} >/dev/null 2>&1 && echo OUT ${at}`),
    `echo tried ${ways.length}`,
  ].join('\n')
  const { pull } = await assign()
  await world.jobs()
  const text = (await entries(pull.number)).find(({ kind }) => kind === 'result')?.text ?? ''
  expect(text).toContain('DOOR')
  expect(text).toContain(`tried ${ways.length}`)
  expect([...text.matchAll(/OUT (\d+)/g)].map(([, at]) => ways[Number(at)])).toEqual([])
  expect(provider.asked).toHaveLength(1)
}, 120_000)
