/** Makes the name that people read from the id of a rule: `github-pat` is "GitHub PAT". */

const WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'AI AWS API CI CLI DB GCP IAM ID IP JWT OAuth OVH PAT PKCS SAS SDK SSH STS TF URL YAML',
    'GitHub GitLab OpenAI PyPI npm npmrc DigitalOcean LinkedIn PlanetScale PostHog SendGrid SonarQube MongoDB RubyGems',
    'HashiCorp HubSpot JFrog LaunchDarkly MailChimp NuGet NewRelic PagerDuty PubNub SauceLabs ScaleWay Snyk',
    'StackOverflow SumoLogic TravisCI YouTube Xai xAI DataDog DeepSeek ElevenLabs HuggingFace CircleCI CloudFlare',
  ]
    .flatMap((line) => line.split(' '))
    .map((word) => [word.toLowerCase(), word]),
)

export const labelOf = (id: string): string =>
  id
    .split('-')
    .map(
      (word, at) => WORDS[word] ?? (at === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word),
    )
    .join(' ')
