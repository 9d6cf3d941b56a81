/** The repository as mvn and Gradle talk to it: their requests, word for word. */
import { expect, test } from 'bun:test'
import { parseSnapshotFile } from '#features/packages/formats/maven/paths.ts'
import { makeServedPackages } from '../fixture.ts'

const base = '/packages/acme/maven'

const pom = (version: string, artifact = 'hello'): string =>
  `<project><parent><groupId>com.acme</groupId></parent><artifactId>${artifact}</artifactId>
   <version>${version}</version><description>Says hello</description></project>`

async function makeRepository() {
  const served = await makeServedPackages()
  const secret = await served.token()
  /** mvn sends Basic, after 401 when it reads. */
  const ask = (path: string, init: RequestInit = {}, token: string | null = secret) =>
    served.send(`${base}/${path}`, {
      ...init,
      headers: {
        'user-agent': 'Apache-Maven/3.9.11',
        ...(token !== null && { authorization: `Basic ${btoa(`any:${token}`)}` }),
        ...init.headers,
      },
    })
  const put = async (path: string, body: string, token: string | null = secret) =>
    (await ask(path, { method: 'PUT', body }, token)).status
  const text = async (path: string) => (await ask(path)).text()
  return { ...served, ask, put, text }
}

const sumOf = (algorithm: 'sha1' | 'md5' | 'sha512', text: string): string =>
  new Bun.CryptoHasher(algorithm).update(text).digest('hex')

const versionsIn = (metadata: string): string[] =>
  [...metadata.matchAll(/<version>([^<]*)<\/version>/g)].map(([, version = '']) => version)

test('deploy, the same again, other bytes, sums and metadata', async () => {
  const { ask, put, text } = await makeRepository()
  const folder = 'com/acme/hello'
  for (const version of ['1.0', '1.10', '1.2', '2.0-alpha-1']) {
    expect(await put(`${folder}/${version}/hello-${version}.jar`, `jar ${version}`)).toBe(201)
    expect(await put(`${folder}/${version}/hello-${version}.pom`, pom(version))).toBe(201)
  }
  const jar = `${folder}/1.0/hello-1.0.jar`
  expect(await put(jar, 'jar 1.0')).toBe(201)
  const other = await ask(jar, { method: 'PUT', body: 'other' })
  expect([other.status, await other.text()]).toEqual([
    409,
    'com.acme:hello 1.0 has another file 1.0/hello-1.0.jar: use a new number\n',
  ])
  const read = await ask(jar)
  expect([await read.text(), read.headers.get('content-type')]).toEqual([
    'jar 1.0',
    'application/java-archive',
  ])
  expect([read.headers.get('x-checksum-sha1'), read.headers.get('x-checksum-md5')]).toEqual([
    sumOf('sha1', 'jar 1.0'),
    sumOf('md5', 'jar 1.0'),
  ])
  const head = await ask(jar, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '7'])
  expect(Date.parse(head.headers.get('last-modified') ?? '')).toBeGreaterThan(0)

  for (const algorithm of ['sha1', 'md5', 'sha512'] as const)
    expect(await text(`${jar}.${algorithm}`)).toBe(sumOf(algorithm, 'jar 1.0'))
  expect(await put(`${jar}.sha1`, sumOf('sha1', 'jar 1.0'))).toBe(201)
  expect(await put(`${jar}.sha1`, sumOf('sha1', 'another'))).toBe(400)
  expect(await put(`${folder}/1.0/none.jar.sha1`, 'x')).toBe(404)

  const metadata = await text(`${folder}/maven-metadata.xml`)
  expect(versionsIn(metadata)).toEqual(['1.0', '1.2', '1.10', '2.0-alpha-1'])
  expect(metadata).toContain('<release>2.0-alpha-1</release>')
  expect(await put(`${folder}/maven-metadata.xml`, '<metadata>mine</metadata>')).toBe(201)
  expect(await text(`${folder}/maven-metadata.xml`)).toBe(metadata)
  expect(await text(`${folder}/maven-metadata.xml.sha1`)).toBe(sumOf('sha1', metadata))
})

test('the sum of metadata is that of what the client read, also after another deploy', async () => {
  const { put, text } = await makeRepository()
  await put('com/acme/hello/1.0/hello-1.0.pom', pom('1.0'))
  const before = await text('com/acme/hello/maven-metadata.xml')
  await put('com/acme/hello/1.1/hello-1.1.pom', pom('1.1'))
  expect(await text('com/acme/hello/maven-metadata.xml.sha1')).toBe(sumOf('sha1', before))
  const after = await text('com/acme/hello/maven-metadata.xml')
  expect(versionsIn(after)).toEqual(['1.0', '1.1'])
  expect(await text('com/acme/hello/maven-metadata.xml.sha1')).toBe(sumOf('sha1', after))
})

test('a version is listed when its POM is there', async () => {
  const { ask, put } = await makeRepository()
  await put('com/acme/hello/1.0/hello-1.0.jar', 'jar')
  expect((await ask('com/acme/hello/maven-metadata.xml')).status).toBe(404)
  await put('com/acme/hello/1.0/hello-1.0.pom', pom('1.0'))
  expect((await ask('com/acme/hello/maven-metadata.xml')).status).toBe(200)
})

test('a build of a snapshot counts when its POM is there', async () => {
  const { put, text } = await makeRepository()
  const folder = 'com/acme/hello/1.1-SNAPSHOT'
  const deploy = async (build: string, files: readonly string[]): Promise<void> => {
    for (const end of files)
      await put(
        `${folder}/hello-1.1-${build}${end}`,
        end === '.pom' ? pom('1.1-SNAPSHOT') : `${build}${end}`,
      )
  }
  await deploy('20260101.100000-1', ['.jar', '-sources.jar', '.pom'])
  // Two deployers took the number 2; one of them has not sent its POM yet.
  await deploy('20260101.110000-2', ['.jar', '.pom'])
  await deploy('20260101.120000-2', ['.jar', '.tar.gz'])
  const metadata = await text(`${folder}/maven-metadata.xml`)
  expect(metadata).toContain('<buildNumber>2</buildNumber>')
  expect(metadata).toContain('<timestamp>20260101.110000</timestamp>')
  const values = [...metadata.matchAll(/<extension>(.*)<\/extension>\n<value>(.*)<\/value>/g)]
  expect(values.map(([, extension, value]) => [extension, value]).sort()).toEqual([
    ['jar', '1.1-20260101.100000-1'],
    ['jar', '1.1-20260101.110000-2'],
    ['pom', '1.1-20260101.110000-2'],
  ])
  expect(metadata).toContain('<classifier>sources</classifier>')
  expect(versionsIn(await text('com/acme/hello/maven-metadata.xml'))).toEqual(['1.1-SNAPSHOT'])
})

test('files of snapshots tell build, classifier and extension', () => {
  const read = (end: string) => parseSnapshotFile('a-b', '1.1-SNAPSHOT', `a-b-1.1-${end}`)
  expect(read('20260101.100000-12-sources.jar')).toEqual({
    timestamp: '20260101.100000',
    build: 12,
    classifier: 'sources',
    extension: 'jar',
  })
  expect(read('20260101.100000-1.tar.gz')).toMatchObject({ classifier: '', extension: 'tar.gz' })
  expect(read('20260101.100000-1.pom.asc')).toMatchObject({ classifier: '', extension: 'pom.asc' })
  for (const end of ['SNAPSHOT.jar', '20260101-1.jar', '20260101.100000-x.jar', ''])
    expect([end, read(end)]).toEqual([end, null])
})

test('what is not what it says, or stands outside of a repository, is refused', async () => {
  const { ask, put, token, zoe, world } = await makeRepository()
  const file = 'com/acme/hello/1.0/hello-1.0.pom'
  expect(await put(file, pom('1.1'))).toBe(422)
  expect(await put(file, pom('1.0', 'other'))).toBe(422)
  expect(await put(file, '<!DOCTYPE a [<!ENTITY b "b">]><project>&b;</project>')).toBe(422)
  expect(await put(file, 'text')).toBe(422)
  expect(await put(file, pom('1.0'), null)).toBe(401)
  expect(await put(file, pom('1.0'), await token(zoe))).toBe(404)
  for (const path of ['hello.jar', 'a/b/hello.jar', 'com/acme//1.0/x.jar', 'com/..%2f/a/1.0/x.jar'])
    expect([path, await put(path, 'x')]).toEqual([path, 404])
  expect(world.hearth.db.all('SELECT id FROM packages')).toEqual([])
  await put(file, pom('1.0'))
  const strange = await ask(file, {}, null)
  expect([strange.status, strange.headers.get('www-authenticate')]).toEqual([
    401,
    'Basic realm="Hearth"',
  ])
  expect((await ask('com/acme/none/1.0/none-1.0.pom', {}, null)).status).toBe(401)
})

test('the plugins of a group are found by their prefix', async () => {
  const { ask, put, text } = await makeRepository()
  const at = 'com/acme/maven-metadata.xml'
  expect((await ask(at)).status).toBe(404)
  const plugin = pom('1.0', 'hello-maven-plugin').replace(
    '<version>',
    '<packaging>maven-plugin</packaging><version>',
  )
  await put('com/acme/hello/1.0/hello-1.0.pom', pom('1.0'))
  expect((await ask(at)).status).toBe(404)
  await put('com/acme/hello-maven-plugin/1.0/hello-maven-plugin-1.0.pom', plugin)
  const metadata = await text(at)
  expect(metadata).toContain('<prefix>hello</prefix>')
  expect(metadata.split('<plugin>')).toHaveLength(2)
  expect(await text(`${at}.sha1`)).toBe(sumOf('sha1', metadata))
  expect((await ask(at, {}, null)).status).toBe(401)
})
