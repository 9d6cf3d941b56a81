import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchTool } from '../../../scripts/support/npm.ts'
import { Client, type Place } from './client.ts'

/** The npm package that has the official client 4.7.1, which runs on mono. */
const HOLDER = 'grunt-nuget@0.3.1'

/** The official client, fetched with npm when it is not in the folder; null when it cannot be. */
export async function findNuget(tools: string): Promise<string | null> {
  const glob = new Bun.Glob('node_modules/grunt-nuget/**/[nN]u[gG]et.exe')
  const find = (): string | undefined =>
    existsSync(tools) ? [...glob.scanSync(tools)][0] : undefined
  if (find() === undefined) await fetchTool(tools, HOLDER).catch(() => {})
  const found = find()
  return found === undefined ? null : join(tools, found)
}

const nuspec = (version: string, text: string, dependency = ''): string => `<?xml version="1.0"?>
<package><metadata><id>Acme.Hello</id><version>${version}</version><authors>Ada</authors>
<description>${text}</description><dependencies>${dependency}</dependencies></metadata>
<files><file src="hello.txt" target="content" /></files></package>`

const config = ({ url, workspace, token }: Place, hasToken: boolean): string => `<configuration>
  <packageSources><clear /><add key="acme" value="${url}/packages/${workspace}/nuget/v3/index.json" protocolVersion="3" /></packageSources>
  ${hasToken ? `<packageSourceCredentials><acme><add key="Username" value="token" /><add key="ClearTextPassword" value="${token}" /></acme></packageSourceCredentials>` : ''}
</configuration>`

export async function runNuget(place: Place): Promise<Client | string> {
  const program = await findNuget(place.tools)
  if (program === null) return 'its program could not be fetched'
  const client = new Client('nuget', place, { MONO_TLS_PROVIDER: 'legacy' })
  const nuget = (...words: readonly string[]): string[] => [
    'mono',
    program,
    ...words,
    '-NonInteractive',
  ]
  client.write('with.config', config(place, true))
  client.write('without.config', config(place, false))
  client.write('lib/hello.txt', 'hello')
  const pack = async (version: string, text: string): Promise<string> => {
    client.write('lib/hello.nuspec', nuspec(version, text))
    await client.succeeds(`pack ${version}`, 'lib', nuget('pack', 'hello.nuspec'))
    return `Acme.Hello.${version}.nupkg`
  }
  const push = (file: string, key: string): string[] =>
    nuget(
      'push',
      file,
      '-Source',
      'acme',
      '-ApiKey',
      key,
      '-ConfigFile',
      client.path('without.config'),
    )
  const first = await pack('1.0.0', 'one')
  await client.fails(
    'push with a wrong key',
    /401|Unauthorized/,
    'lib',
    push(first, `hthu_${'a'.repeat(46)}`),
  )
  await client.succeeds('push', 'lib', push(first, place.token))
  await client.succeeds('push the same bytes', 'lib', push(first, place.token))
  await client.fails(
    'push other bytes',
    /409/,
    'lib',
    push(await pack('1.0.0', 'two'), place.token),
  )
  await client.succeeds('push 1.10.0', 'lib', push(await pack('1.10.0', 'three'), place.token))
  await client.succeeds(
    'push a prerelease',
    'lib',
    push(await pack('2.0.0-rc1', 'four'), place.token),
  )
  const install = (file: string, ...words: readonly string[]): string[] =>
    nuget(
      'install',
      'Acme.Hello',
      '-Source',
      'acme',
      '-NoCache',
      '-ConfigFile',
      client.path(file),
      '-OutputDirectory',
      'out',
      ...words,
    )
  await client.fails(
    'install without a token',
    /401|Unauthorized/,
    'app',
    install('without.config'),
  )
  await client.succeeds('install', 'app', install('with.config'))
  client.check('installs the highest release', existsSync(client.path('app/out/Acme.Hello.1.10.0')))
  await client.succeeds('install a prerelease', 'app', install('with.config', '-Prerelease'))
  client.check('installs the prerelease', existsSync(client.path('app/out/Acme.Hello.2.0.0-rc1')))
  await client.succeeds(
    'unlist',
    'lib',
    nuget(
      'delete',
      'Acme.Hello',
      '1.10.0',
      '-Source',
      'acme',
      '-ApiKey',
      place.token,
      '-ConfigFile',
      client.path('without.config'),
    ),
  )
  const leaf = await fetch(
    `${place.url}/packages/${place.workspace}/nuget/v3/reg1/acme.hello/1.10.0.json`,
    { headers: { authorization: `Bearer ${place.token}` } },
  )
  const described = await leaf.text()
  client.check('it is unlisted', described.includes('"listed":false'), described)
  // `install` of 4.7.1 reads this and takes the highest number all the same when it is given none: it
  // includes unlisted versions. The documents say of them what those of nuget.org say.
  await Bun.$`rm -rf ${client.path('app/out')} ${client.path('home/.local')}`.quiet()
  await client.succeeds(
    'install the unlisted version by its number',
    'app',
    install('with.config', '-Version', '1.10.0'),
  )
  return client
}
