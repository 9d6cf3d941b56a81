/** A real directory (OpenLDAP's slapd) with users and groups, on local ports. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'bun:test'
import { Client } from 'ldapts'

/** The path of slapd. Null when it is not installed; the tests are skipped then. */
export const SLAPD =
  ['/usr/sbin/slapd', '/usr/lib/openldap/slapd', '/usr/local/libexec/slapd'].find((path) =>
    existsSync(path),
  ) ?? null

const BASE = 'dc=corp,dc=example'
export const ADMIN = { dn: `cn=admin,${BASE}`, password: 'the password of the directory' }

const person = (
  uid: string,
  password: string,
  mail: string,
  name = uid,
): string => `dn: uid=${uid},ou=people,${BASE}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${name}
sn: ${name}
mail: ${mail}
userPassword: ${password}
`
const group = (cn: string, members: readonly string[]): string => `dn: cn=${cn},ou=groups,${BASE}
objectClass: groupOfNames
cn: ${cn}
${members.map((uid) => `member: uid=${uid},ou=people,${BASE}`).join('\n')}
`

const ENTRIES = [
  `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Corp\ndc: corp\n`,
  `dn: ou=people,${BASE}\nobjectClass: organizationalUnit\nou: people\n`,
  `dn: ou=groups,${BASE}\nobjectClass: organizationalUnit\nou: groups\n`,
  person('grace', 'a password of grace', 'Grace@Corp.Example', 'Grace Hopper'),
  person('alan', 'a password of alan', 'alan@corp.example'),
  person('odd*name', 'a password of odd', 'odd@corp.example'),
  person('root', 'another root', 'root@corp.example'),
  group('staff', ['grace', 'alan']),
  group('admins', ['grace']),
]

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port')),
      )
    })
  })

function run(command: string[], input?: string): void {
  const { exitCode, stderr } = Bun.spawnSync(command, {
    stdin: input === undefined ? 'ignore' : Buffer.from(input),
    stderr: 'pipe',
    stdout: 'ignore',
  })
  if (exitCode !== 0) throw new Error(`${command[0]} failed: ${stderr.toString()}`)
}

export async function startDirectory() {
  if (SLAPD === null) throw new Error('slapd is not installed')
  const home = mkdtempSync(join(tmpdir(), 'hearth-slapd-'))
  const [plain, secure] = [await freePort(), await freePort()]
  mkdirSync(join(home, 'db'))
  run([
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost,IP:127.0.0.1',
    '-keyout',
    join(home, 'key.pem'),
    '-out',
    join(home, 'cert.pem'),
  ])
  writeFileSync(
    join(home, 'slapd.conf'),
    `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${home}/slapd.pid
TLSCertificateFile ${home}/cert.pem
TLSCertificateKeyFile ${home}/key.pem
disallow bind_anon
database mdb
suffix "${BASE}"
rootdn "${ADMIN.dn}"
rootpw "${ADMIN.password}"
directory ${home}/db
maxsize 16777216
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${ADMIN.dn}" read by * none
`,
  )
  run([SLAPD, '-T', 'add', '-f', join(home, 'slapd.conf')], ENTRIES.join('\n'))
  const child = Bun.spawn(
    [
      SLAPD,
      '-f',
      join(home, 'slapd.conf'),
      '-h',
      `ldap://127.0.0.1:${plain} ldaps://127.0.0.1:${secure}`,
      '-d',
      '0',
    ],
    { stdout: 'ignore', stderr: 'pipe' },
  )
  afterAll(async () => {
    child.kill()
    await child.exited
    rmSync(home, { recursive: true, force: true })
  })
  await listening(plain, child)
  return {
    base: `ou=people,${BASE}`,
    groups: `ou=groups,${BASE}`,
    url: `ldap://localhost:${plain}`,
    ldaps: `ldaps://localhost:${secure}`,
    ca: readFileSync(join(home, 'cert.pem'), 'utf8'),
    /** Changes entries as the directory's administrator. */
    async change(use: (client: Client) => Promise<void>): Promise<void> {
      const client = new Client({ url: `ldap://127.0.0.1:${plain}` })
      await client.bind(ADMIN.dn, ADMIN.password)
      await use(client).finally(() => client.unbind())
    },
    async stop(): Promise<void> {
      child.kill()
      await child.exited
    },
  }
}

/** Waits until the server accepts connections. */
async function listening(
  port: number,
  child: { exitCode: number | null; stderr: ReadableStream<Uint8Array> },
): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null)
      throw new Error(`slapd ended: ${await new Response(child.stderr).text()}`)
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).catch(
      () => null,
    )
    if (socket) return void socket.end()
    await Bun.sleep(50)
  }
  throw new Error('slapd takes no connections')
}
