/** Gems, Composer and NuGet packages of a second forge, installed by the address of the first. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startHearth, type Registry } from '../../../scripts/bench/packages/servers.ts'
import { Client, type Place } from '../package-clients/client.ts'
import { zipOf } from '../package-clients/composer.ts'
import { findNuget } from '../package-clients/nuget.ts'
import type { SetUpstream } from './containers.ts'

type Peer = { readonly base: string; readonly token: string }

type Type = {
  readonly type: 'rubygems' | 'composer' | 'nuget'
  readonly programs: readonly string[]
  /** What the peer is called as an upstream, below its address of packages. */
  readonly path: string
  readonly publish: (client: Client, peer: Peer) => Promise<void>
  /** Installs with an empty home into folders that begin with `round`. */
  readonly install: (client: Client, round: string) => Promise<void>
}

async function send(client: Client, what: string, url: string, token: string, init: RequestInit) {
  const answer = await fetch(url, { ...init, headers: { authorization: `Bearer ${token}` } })
  client.check(what, answer.ok, `${answer.status} ${await answer.text()}`)
}

const GEM = `Gem::Specification.new do |s|
  s.name = 'far-away'; s.version = '1.2.0'; s.summary = 'Far'; s.authors = ['Ada']
  s.homepage = 'https://example.com'; s.license = 'MIT'; s.files = ['lib/far_away.rb']
end
`
const RUBY = "gem 'far-away'; require 'far_away'; exit FAR == 7"

const rubygems: Type = {
  type: 'rubygems',
  programs: ['ruby', 'gem', 'bundle'],
  path: 'rubygems',
  publish: async (client, { base, token }) => {
    client.write('far/lib/far_away.rb', 'FAR = 7\n')
    client.write('far/far.gemspec', GEM)
    await client.succeeds('gem build', 'far', ['gem', 'build', 'far.gemspec'])
    const body = new Uint8Array(readFileSync(client.path('far/far-away-1.2.0.gem')))
    const push = { method: 'POST', body }
    await send(client, 'a gem for the peer', `${base}/rubygems/api/v1/gems`, token, push)
  },
  install: async (client, round) => {
    const { url, workspace, token } = client.place
    const source = `${url}/packages/${workspace}/rubygems`
    const own = { GEM_HOME: client.path(`${round}-gems`), HOME: client.path(`${round}-home`) }
    const withToken = `${source.replace('://', `://token:${token}@`)}/`
    await client.succeeds(
      `${round}: gem install`,
      round,
      ['gem', 'install', 'far-away', '--no-document', '--clear-sources', '--source', withToken],
      own,
    )
    await client.succeeds(`${round}: ruby loads it`, round, ['ruby', '-e', RUBY], own)
    client.write(`${round}-app/Gemfile`, `source "${source}"\ngem "far-away"\n`)
    const bundle = { ...own, BUNDLE_PATH: client.path(`${round}-bundle`) }
    const config = ['bundle', 'config', 'set', '--local', `${source}/`, `token:${token}`]
    await client.succeeds(`${round}: bundle config`, `${round}-app`, config, bundle)
    await client.succeeds(`${round}: bundle install`, `${round}-app`, ['bundle', 'install'], bundle)
    const run = ['bundle', 'exec', 'ruby', '-e', RUBY]
    await client.succeeds(`${round}: bundle exec`, `${round}-app`, run, bundle)
  },
}

const composer: Type = {
  type: 'composer',
  programs: ['composer', 'php'],
  path: 'composer',
  publish: async (client, { base, token }) => {
    const description = { name: 'far/away', autoload: { files: ['far.php'] } }
    const files = (text: string) => ({
      'composer.json': JSON.stringify(description),
      'far.php': `<?php function far() { return '${text}'; }\n`,
    })
    for (const version of ['1.2.0', 'dev-main']) {
      const put = { method: 'PUT', body: new Uint8Array(await zipOf(files(version))) }
      const url = `${base}/composer/?version=${version}`
      await send(client, `${version} for the peer`, url, token, put)
    }
  },
  install: async (client, round) => {
    const { url, workspace, token } = client.place
    const own = { COMPOSER_HOME: client.path(`${round}-home`), COMPOSER_ALLOW_SUPERUSER: '1' }
    const repository = { type: 'composer', url: `${url}/packages/${workspace}/composer` }
    const project = {
      name: 'acme/app',
      repositories: [repository, { packagist: false }],
      config: {
        'secure-http': false,
        'http-basic': { [new URL(url).host]: { username: 'token', password: token } },
      },
    }
    client.write(`${round}/composer.json`, JSON.stringify(project))
    for (const version of ['^1.0', 'dev-main']) {
      const require = ['composer', '-n', 'require', `far/away:${version}`]
      await client.succeeds(`${round}: composer require ${version}`, round, require, own)
    }
    const php = ['php', '-r', "require 'vendor/autoload.php'; echo far();"]
    const said = await client.succeeds(`${round}: php runs it`, round, php)
    client.check(`${round}: it is the branch`, said.trim() === 'dev-main', said)
  },
}

const SPECIFICATION = `<?xml version="1.0"?>
<package><metadata><id>Far.Away</id><version>1.2.0</version><authors>Ada</authors>
<description>Far</description></metadata>
<files><file src="far.txt" target="content" /></files></package>`

const nuget: Type = {
  type: 'nuget',
  programs: ['mono'],
  path: 'nuget/v3/index.json',
  publish: async (client, { base, token }) => {
    const program = await findNuget(client.place.tools)
    client.write('far/far.txt', 'far')
    client.write('far/far.nuspec', SPECIFICATION)
    const pack = ['mono', program ?? '', 'pack', 'far.nuspec', '-NonInteractive']
    await client.succeeds('nuget pack', 'far', pack)
    const body = new FormData()
    body.set('package', Bun.file(client.path('far/Far.Away.1.2.0.nupkg')))
    await send(client, 'a package for the peer', `${base}/nuget/v2/package`, token, {
      method: 'PUT',
      body,
    })
  },
  install: async (client, round) => {
    const { url, workspace, token } = client.place
    const program = await findNuget(client.place.tools)
    client.write(
      `${round}/NuGet.Config`,
      `<configuration><packageSources><clear /><add key="acme" value="${url}/packages/${workspace}/nuget/v3/index.json" protocolVersion="3" /></packageSources>
<packageSourceCredentials><acme><add key="Username" value="token" /><add key="ClearTextPassword" value="${token}" /></acme></packageSourceCredentials></configuration>`,
    )
    const install = ['mono', program ?? '', 'install', 'Far.Away', '-NonInteractive', '-NoCache']
    const options = ['-Source', 'acme', '-ConfigFile', 'NuGet.Config', '-OutputDirectory', 'out']
    const own = { HOME: client.path(`${round}-home`), MONO_TLS_PROVIDER: 'legacy' }
    await client.succeeds(`${round}: nuget install`, round, [...install, ...options], own)
    const file = client.path(round, 'out/Far.Away.1.2.0/content/far.txt')
    client.check(`${round}: the file is there`, existsSync(file))
  },
}

async function runType(place: Place, type: Type, peer: Registry, setUpstream: SetUpstream) {
  const missing = type.programs.filter((program) => Bun.which(program) === null)
  if (missing.length > 0) {
    process.stdout.write(`${type.type}: left out, ${missing.join(' and ')} not installed\n`)
    return { client: null, failures: process.env.CI ? 1 : 0 }
  }
  const client = new Client(type.type, place)
  const base = peer.npm.replace(/\/npm$/, '')
  const token = /^Bearer (.+)$/.exec(peer.headers.authorization ?? '')?.[1] ?? ''
  await type.publish(client, { base, token })
  const secret = { username: 'token', secret: token }
  await setUpstream(place, type.type, `${base}/${type.path}`, secret)
  await type.install(client, 'open')
  return { client, failures: 0 }
}

/** Returns the number of failures. */
export async function installFromForge(
  placeOf: (type: string) => Place,
  setUpstream: SetUpstream,
  executable: string,
  only: string,
): Promise<number> {
  const chosen = [rubygems, composer, nuget].filter(({ type }) => only === '' || only === type)
  if (chosen.length === 0) return 0
  const directory = join(placeOf('peer').directory, 'forge')
  mkdirSync(directory, { recursive: true })
  const peer = await startHearth(executable, directory)
  const runs: { type: Type; client: Client }[] = []
  let failures = 0
  try {
    for (const type of chosen) {
      const ran = await runType(placeOf(type.type), type, peer, setUpstream)
      failures += ran.failures
      if (ran.client !== null) runs.push({ type, client: ran.client })
    }
  } finally {
    await peer.stop()
  }
  for (const { type, client } of runs) {
    await type.install(client, 'closed')
    failures += client.failures
  }
  return failures
}
