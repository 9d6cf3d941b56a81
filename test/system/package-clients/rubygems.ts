import { Client, type Place } from './client.ts'

const specification = (version: string, rest = ''): string => `Gem::Specification.new do |s|
  s.name = 'hello-hearth'; s.version = '${version}'; s.summary = 'Says hello'
  s.authors = ['Ada']; s.homepage = 'https://example.com'; s.license = 'MIT'
  s.files = ['lib/hello_hearth.rb']; s.required_ruby_version = '>= 2.5'
  ${rest}
end
`

export async function runRubygems(place: Place): Promise<Client> {
  const client = new Client('gem', place, { GEM_HOME: `${place.directory}/gems` })
  const source = `${place.url}/packages/${place.workspace}/rubygems`
  const withToken = source.replace('://', `://token:${place.token}@`)
  const key = { GEM_HOST_API_KEY: place.token }
  client.write('hello/lib/hello_hearth.rb', 'module HelloHearth; def self.hello; 42; end; end\n')
  const build = async (version: string, rest = ''): Promise<string> => {
    client.write('hello/hello.gemspec', specification(version, rest))
    await client.succeeds(`build ${version}`, 'hello', ['gem', 'build', 'hello.gemspec'])
    return `hello-hearth-${version}.gem`
  }
  const push = (file: string): string[] => ['gem', 'push', file, '--host', source]
  const first = await build('1.0.0')
  await client.fails('push with a wrong token', /not valid/, 'hello', push(first), {
    GEM_HOST_API_KEY: `hthu_${'a'.repeat(46)}`,
  })
  const said = await client.succeeds('push', 'hello', push(first), key)
  client.check(
    'push shows our words',
    said.includes('Successfully registered gem: hello-hearth (1.0.0)'),
    said,
  )
  await client.succeeds('push the same bytes', 'hello', push(first), key)
  const other = await build('1.0.0', "s.description = 'other'")
  await client.fails('push other bytes', /exists with other content/, 'hello', push(other), key)
  await client.succeeds('push 1.10', 'hello', push(await build('1.10')), key)
  await client.succeeds('push a prerelease', 'hello', push(await build('2.0.0.rc1')), key)

  const install = ['gem', 'install', 'hello-hearth', '--clear-sources', '--no-document', '--source']
  await client.fails(
    'install without a token',
    /401|Unauthorized|bad response|not find/i,
    'empty',
    [...install, `${source}/`],
  )
  const installed = await client.succeeds('install', 'empty', [...install, `${withToken}/`])
  client.check('installs the highest release', installed.includes('hello-hearth-1.10'), installed)
  await client.succeeds('load what was installed', 'hello', [
    'ruby',
    '-e',
    "gem 'hello-hearth'; require 'hello_hearth'; exit HelloHearth.hello == 42",
  ])
  const list = await client.succeeds('list', 'hello', [
    'gem',
    'list',
    '--remote',
    '--all',
    '--prerelease',
    '--clear-sources',
    '--source',
    `${withToken}/`,
  ])
  client.check('lists the versions', list.includes('2.0.0.rc1') && list.includes('1.10'), list)

  client.write('app/Gemfile', `source "${source}" do\n  gem "hello-hearth"\nend\n`)
  const bundle = {
    BUNDLE_PATH: client.path('bundle'),
    BUNDLE_USER_HOME: client.path('bundle-home'),
    [`BUNDLE_${source.replace(/^http:/, 'HTTP:').toUpperCase()}/`]: `token:${place.token}`,
  }
  await client.fails(
    'bundle without a token',
    /credentials|401|Authentication/i,
    'app',
    ['bundle', 'install'],
    { BUNDLE_USER_HOME: client.path('none') },
  )
  await client.succeeds('bundle config', 'app', [
    'bundle',
    'config',
    'set',
    '--local',
    `${source}/`,
    `token:${place.token}`,
  ])
  await client.succeeds('bundle install', 'app', ['bundle', 'install'], bundle)
  const lock = await Bun.file(client.path('app/Gemfile.lock')).text()
  client.check('bundler locks the highest release', lock.includes('hello-hearth (1.10)'), lock)
  await client.succeeds(
    'yank',
    'hello',
    ['gem', 'yank', 'hello-hearth', '--version', '1.10', '--host', source],
    key,
  )
  // `bundle update` never goes below the locked version, so it is forgotten.
  await Bun.$`rm ${client.path('app/Gemfile.lock')}`.quiet()
  await client.succeeds('bundle lock', 'app', ['bundle', 'lock'], bundle)
  const after = await Bun.file(client.path('app/Gemfile.lock')).text()
  client.check('bundler leaves the yanked version', after.includes('hello-hearth (1.0.0)'), after)
  return client
}
