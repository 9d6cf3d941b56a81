/**
 * Clients with nothing but the settings that a job finds in its home: no command names a token, and
 * no project an address. Clients that a machine has beyond those of CI run as well.
 */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { FORMATS } from '#src/features/packages/formats/index.ts'
import { tarEntry } from '../../features/packages/fixture.ts'
import { rustHome } from './cargo.ts'
import { Client, type Place } from './client.ts'
import { pushImage } from './containers.ts'
import { zipOf } from './composer.ts'
import { findNuget } from './nuget.ts'

function writeSettings(client: Client): void {
  const { url, workspace, token } = client.place
  for (const { jobFiles } of FORMATS) {
    const about = { workspace, site_url: url, site_urls: [url], token }
    const files = jobFiles?.({ ...about, mayPublish: true, hasNames: () => true }) ?? {}
    for (const [path, text] of Object.entries(files)) client.write(`home/${path}`, text)
  }
  // As in a job; gem refuses a file that others may read.
  Bun.spawnSync(['chmod', '600', client.path('home/.gem/credentials')])
}

async function useNpm(client: Client, workspace: string): Promise<void> {
  const name = `@${workspace}/of-a-job`
  client.write('npm/package.json', JSON.stringify({ name, version: '1.0.0' }))
  await client.succeeds('npm publish', 'npm', ['npm', 'publish'])
  await client.succeeds('npm install', 'npm-user', ['npm', 'install', '--no-audit', name])
}

const CARGO = `[package]
name = "of-a-job"
version = "1.0.0"
edition = "2021"
license = "MIT"
description = "Published by a job"
`

async function useCargo(client: Client, workspace: string): Promise<void> {
  client.write('cargo/Cargo.toml', CARGO)
  client.write('cargo/src/lib.rs', '')
  const registry = ['--registry', workspace]
  const publish = ['cargo', 'publish', ...registry, '--no-verify', '--allow-dirty']
  await client.succeeds('cargo publish', 'cargo', publish)
  await client.succeeds('cargo info', 'cargo', ['cargo', 'info', 'of-a-job', ...registry])
}

const GEMSPEC = `Gem::Specification.new do |s|
  s.name = 'of-a-job'; s.version = '1.0.0'; s.summary = 'x'; s.authors = ['Ada']; s.files = []
end
`

async function useGems(client: Client, source: string): Promise<void> {
  client.write('gem/of-a-job.gemspec', GEMSPEC)
  await client.succeeds('gem build', 'gem', ['gem', 'build', 'of-a-job.gemspec'])
  await client.succeeds('gem push', 'gem', ['gem', 'push', 'of-a-job-1.0.0.gem', '--host', source])
  client.write('gem-user/Gemfile', `source "${source}"\ngem "of-a-job"\n`)
  await client.succeeds('bundle install', 'gem-user', ['bundle', 'install'], {
    BUNDLE_PATH: client.path('bundle'),
  })
}

async function useComposer(client: Client, { url, workspace, token }: Place): Promise<void> {
  const base = `${url}/packages/${workspace}/composer`
  client.write('of-a-job.zip', await zipOf({ 'composer.json': '{"name":"acme/of-a-job"}' }))
  // Composer publishes nothing itself.
  await client.succeeds('a package of composer', '.', [
    ...['curl', '-sS', '--fail', '--user', `token:${token}`, '--upload-file', 'of-a-job.zip'],
    `${base}/?version=1.0.0`,
  ])
  const project = {
    repositories: [{ type: 'composer', url: base }, { packagist: false }],
    config: { 'secure-http': false },
  }
  client.write('composer/composer.json', JSON.stringify(project))
  await client.succeeds('composer require', 'composer', [
    ...['composer', '--no-interaction', 'require', 'acme/of-a-job'],
  ])
}

async function useSkopeo(client: Client, place: Place): Promise<void> {
  const image = `docker://${new URL(place.url).host}/${place.workspace}`
  const plain = ['--src-tls-verify=false', '--dest-tls-verify=false']
  await client.succeeds('skopeo copy', '.', [
    ...['skopeo', 'copy', ...plain, `${image}/app:1.0.0`, `${image}/of-a-job:1.0.0`],
  ])
}

const POM = `<project><modelVersion>4.0.0</modelVersion>
  <groupId>com.acme</groupId><artifactId>ARTIFACT</artifactId><version>1.0.0</version><packaging>pom</packaging>
  DEPENDENCY
</project>`

async function useMaven(client: Client, workspace: string): Promise<void> {
  const dependency =
    '<dependencies><dependency><groupId>com.acme</groupId><artifactId>of-a-job</artifactId><version>1.0.0</version><type>pom</type></dependency></dependencies>'
  const pom = (artifact: string, needs: string): string =>
    POM.replace('ARTIFACT', artifact).replace('DEPENDENCY', needs)
  const mvn = ['mvn', '-B', '-q', `-P${workspace}`]
  client.write('mvn/pom.xml', pom('of-a-job', ''))
  await client.succeeds('mvn deploy', 'mvn', [...mvn, 'deploy'])
  Bun.spawnSync(['rm', '-rf', client.path('home/.m2/repository/com/acme')])
  client.write('mvn-user/pom.xml', pom('user', dependency))
  await client.succeeds('mvn dependency:resolve', 'mvn-user', [...mvn, 'dependency:resolve'])
}

const NUSPEC = `<?xml version="1.0"?><package><metadata><id>Of.A.Job</id><version>1.0.0</version><authors>Ada</authors>
<description>x</description></metadata><files><file src="of-a-job.nuspec" target="content" /></files></package>`

async function useNuget(client: Client, source: string): Promise<void> {
  const program = await findNuget(client.place.tools)
  if (program === null) return
  const nuget = (...words: readonly string[]): string[] => [
    ...['mono', program, ...words, '-NonInteractive'],
  ]
  client.write('nuget/of-a-job.nuspec', NUSPEC)
  await client.succeeds('nuget pack', 'nuget', nuget('pack', 'of-a-job.nuspec'))
  const push = nuget('push', 'Of.A.Job.1.0.0.nupkg', '-Source', source)
  await client.succeeds('nuget push', 'nuget', push)
  const install = nuget('install', 'Of.A.Job', '-Source', source, '-OutputDirectory', 'out')
  await client.succeeds('nuget install', 'nuget', install)
}

async function useTwine(client: Client, twine: string): Promise<void> {
  const name = 'acme_of_a_job-1.0.0'
  const info = 'Metadata-Version: 2.1\nName: acme-of-a-job\nVersion: 1.0.0\n'
  const files = [tarEntry(`${name}/PKG-INFO`, info), tarEntry(`${name}/setup.py`, '')]
  const archive = Buffer.concat([...files, Buffer.alloc(1024)])
  client.write(`twine/${name}.tar.gz`, gzipSync(archive))
  await client.succeeds('twine upload', 'twine', [
    ...[twine, 'upload', '--non-interactive', '--repository', client.place.workspace],
    `${name}.tar.gz`,
  ])
}

export async function runJobHome(place: Place): Promise<Client> {
  const { url, workspace, tools } = place
  const client = new Client('settings of a job', place, {
    ...rustHome(),
    COMPOSER_ALLOW_SUPERUSER: '1',
    // Java asks the system for the home of its user.
    MAVEN_OPTS: `-Duser.home=${join(place.directory, 'home')}`,
  })
  writeSettings(client)
  await pushImage(place, '1.0.0')
  await useNpm(client, workspace)
  await useCargo(client, workspace)
  await useGems(client, `${url}/packages/${workspace}/rubygems`)
  await useComposer(client, place)
  await useSkopeo(client, place)
  if (Bun.which('mvn') !== null) await useMaven(client, workspace)
  if (Bun.which('mono') !== null) await useNuget(client, workspace)
  const twine = Bun.which(`${tools}/py/bin/twine`) ?? Bun.which('twine')
  if (twine !== null) await useTwine(client, twine)
  return client
}
