import { Client, type Place } from './client.ts'

const pom = (
  { url, workspace }: Place,
  artifact: string,
  version: string,
  rest: string,
): string => {
  const repository = `<id>acme</id><url>${url}/packages/${workspace}/maven/</url>`
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.acme.tools</groupId><artifactId>${artifact}</artifactId><version>${version}</version>
  <description>Says hello</description>
  <properties>
    <maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories><repository>${repository}<snapshots><enabled>true</enabled><updatePolicy>always</updatePolicy></snapshots></repository></repositories>
  <distributionManagement><repository>${repository}</repository><snapshotRepository>${repository}</snapshotRepository></distributionManagement>
  ${rest}
</project>`
}

const settings = (token: string, local: string): string => `<settings>
  <localRepository>${local}</localRepository>
  <servers><server><id>acme</id><username>token</username><password>${token}</password></server></servers>
</settings>`

const dependency = (version: string): string =>
  `<dependencies><dependency><groupId>com.acme.tools</groupId><artifactId>hello</artifactId><version>${version}</version></dependency></dependencies>`

const java = (text: string): string =>
  `package com.acme.tools; public class Hello { public static String hello() { return "${text}"; } }\n`

export async function runMaven(place: Place): Promise<Client> {
  const client = new Client('mvn', place)
  client.write('good.xml', settings(place.token, client.path('local')))
  client.write('bad.xml', settings(`hthu_${'a'.repeat(46)}`, client.path('local-bad')))
  client.write(
    'none.xml',
    `<settings><localRepository>${client.path('local-none')}</localRepository></settings>`,
  )
  const mvn = (file: string, ...goals: readonly string[]): string[] => [
    'mvn',
    '-B',
    '-q',
    '-s',
    client.path(file),
    ...goals,
  ]
  const writeLibrary = (version: string, text: string): void => {
    client.write('hello/pom.xml', pom(place, 'hello', version, ''))
    client.write('hello/src/main/java/com/acme/tools/Hello.java', java(text))
  }
  const deploy = mvn('good.xml', 'deploy', '-DskipTests')
  writeLibrary('1.0.0', 'one')
  await client.fails('deploy with a wrong token', /401/, 'hello', mvn('bad.xml', 'deploy'))
  await client.succeeds('deploy', 'hello', deploy)
  await client.succeeds(
    'deploy the same bytes',
    'hello',
    mvn(
      'good.xml',
      'deploy:deploy-file',
      `-Dfile=${client.path('hello/target/hello-1.0.0.jar')}`,
      '-DpomFile=pom.xml',
      '-DrepositoryId=acme',
      `-Durl=${place.url}/packages/${place.workspace}/maven/`,
    ),
  )
  writeLibrary('1.0.0', 'two')
  await client.fails('deploy other bytes', /409/, 'hello', deploy)
  for (const text of ['three', 'four']) {
    writeLibrary('1.1-SNAPSHOT', text)
    await client.succeeds(`deploy a snapshot (${text})`, 'hello', deploy)
  }
  const use = async (what: string, version: string, file: string, shows: string): Promise<void> => {
    client.write('user/pom.xml', pom(place, 'user', '0.1', dependency(version)))
    client.write(
      'user/src/main/java/com/acme/tools/Main.java',
      'package com.acme.tools; public class Main { public static void main(String[] a) { System.out.println(Hello.hello()); } }\n',
    )
    await Bun.$`rm -rf ${client.path('local/com/acme')}`.quiet()
    await client.succeeds(
      `resolve ${what}`,
      'user',
      mvn(file, '-U', 'clean', 'package', 'dependency:copy-dependencies'),
    )
    const classes = `${client.path('user/target/classes')}:${client.path('user/target/dependency')}/*`
    const said = await client.run('user', ['java', '-cp', classes, 'com.acme.tools.Main'])
    client.check(`${what} is ${shows}`, said.text.trim() === shows, said.text)
  }
  await use('a release', '1.0.0', 'good.xml', 'one')
  await use('the newest snapshot', '1.1-SNAPSHOT', 'good.xml', 'four')
  await use('a range', '[1.0,1.1-alpha)', 'good.xml', 'one')
  client.write('user/pom.xml', pom(place, 'user', '0.1', dependency('1.0.0')))
  await client.fails(
    'resolve without a token',
    /401|Unauthorized|not authorized/i,
    'user',
    mvn('none.xml', '-U', 'clean', 'package'),
  )
  client.write('user/pom.xml', pom(place, 'user', '0.1', dependency('9.9')))
  await client.fails(
    'a version that is missing',
    /9\.9/,
    'user',
    mvn('good.xml', '-U', 'clean', 'package'),
  )
  return client
}
