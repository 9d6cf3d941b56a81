import { Client, type Place } from './client.ts'

const GROUP = 'com.acme.build'

const addressOf = ({ url, workspace }: Place): string => `${url}/packages/${workspace}/maven/`

/** Newer versions of Gradle want to be told of an address without TLS. */
const ALLOW_PLAIN = `allprojects {
  repositories.withType(MavenArtifactRepository) {
    if (it.hasProperty('allowInsecureProtocol')) it.allowInsecureProtocol = true
  }
}
`

const library = (version: string): string => `
plugins { id 'java' }
group = '${GROUP}'
version = '${version}'
`

const user = (place: Place, token: string, version: string): string => `
plugins { id 'java' }
repositories {
  maven {
    url '${addressOf(place)}'
    ${token === '' ? '' : `credentials { username 'token'; password '${token}' }`}
  }
}
configurations.all { resolutionStrategy.cacheChangingModulesFor 0, 'seconds' }
configurations.all { resolutionStrategy.cacheDynamicVersionsFor 0, 'seconds' }
dependencies { compileOnly '${GROUP}:greeter:${version}' }
task copy(type: Copy) { from configurations.compileClasspath; into 'libraries' }
`

const java = (text: string): string =>
  `package com.acme.build; public class Hello { public static String hello() { return "${text}"; } }\n`

const MAIN =
  'public class Main { public static void main(String[] a) { System.out.println(com.acme.build.Hello.hello()); } }\n'

const settings = (token: string): string => `<settings><servers><server>
  <id>acme</id><username>token</username><password>${token}</password>
</server></servers></settings>`

const WRONG = `hthu_${'a'.repeat(46)}`

class Gradle {
  readonly client: Client

  constructor(place: Place) {
    this.client = new Client('gradle', place)
    this.client.write('init.gradle', ALLOW_PLAIN)
    this.client.write('settings.xml', settings(place.token))
  }

  readonly run = (cache: string, ...tasks: readonly string[]): string[] => [
    ...['gradle', '--no-daemon', '-q', '-I', this.client.path('init.gradle')],
    ...['-g', this.client.path(cache), ...tasks],
  ]

  /** Debian's Gradle has no HTTP in its publishing part, so Maven sends what it built. */
  async publish(version: string, text: string): Promise<void> {
    const { client } = this
    client.write('hello/settings.gradle', "rootProject.name = 'greeter'\n")
    client.write('hello/build.gradle', library(version))
    client.write('hello/src/main/java/com/acme/build/Hello.java', java(text))
    await client.succeeds(`build ${version}`, 'hello', this.run('cache', 'clean', 'jar'))
    await client.succeeds(`publish ${version} (${text})`, 'hello', [
      ...['mvn', '-B', '-q', '-s', client.path('settings.xml'), 'deploy:deploy-file'],
      ...[`-Dfile=build/libs/greeter-${version}.jar`, `-DgroupId=${GROUP}`],
      ...['-DartifactId=greeter', `-Dversion=${version}`, '-Dpackaging=jar'],
      ...['-DrepositoryId=acme', `-Durl=${addressOf(client.place)}`],
    ])
  }

  writeUser(version: string, token = this.client.place.token): void {
    this.client.write('user/settings.gradle', "rootProject.name = 'user'\n")
    this.client.write('user/build.gradle', user(this.client.place, token, version))
    this.client.write('user/src/main/java/Main.java', MAIN)
  }

  build(): string[] {
    return this.run('cache', '--refresh-dependencies', 'clean', 'build', 'copy')
  }

  async use(what: string, version: string, shows: string): Promise<void> {
    const { client } = this
    this.writeUser(version)
    await Bun.$`rm -rf ${client.path('user/libraries')}`.quiet()
    await client.succeeds(`resolve ${what}`, 'user', this.build())
    const classes = `${client.path('user/build/classes/java/main')}:${client.path('user/libraries')}/*`
    const said = await client.run('user', ['java', '-cp', classes, 'Main'])
    client.check(`${what} is ${shows}`, said.text.trim() === shows, said.text)
  }
}

export async function runGradle(place: Place): Promise<Client> {
  const gradle = new Gradle(place)
  const { client } = gradle
  await gradle.publish('1.0.0', 'one')
  await gradle.publish('1.1-SNAPSHOT', 'two')
  await gradle.use('a snapshot', '1.1-SNAPSHOT', 'two')
  await gradle.publish('1.1-SNAPSHOT', 'three')
  await gradle.publish('1.0.2', 'four')
  await gradle.use('a release', '1.0.0', 'one')
  await gradle.use('the newest snapshot', '1.1-SNAPSHOT', 'three')
  await gradle.use('a prefix of a version', '1.0.+', 'four')
  await gradle.use('the newest release', 'latest.release', 'four')
  const refused = /401|Unauthorized/i
  for (const [what, token] of [
    ['without a token', ''],
    ['with a wrong token', WRONG],
  ] as const) {
    gradle.writeUser('1.0.0', token)
    await client.fails(`resolve ${what}`, refused, 'user', gradle.run('empty-cache', 'build'))
  }
  gradle.writeUser('9.9')
  await client.fails('a version that is missing', /greeter:9\.9/, 'user', gradle.build())
  return client
}
