import { Anchor, Tabs } from '@mantine/core'
import { Panel } from '../../components/panel.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { basePath, serviceAddress } from '../../service/base-path.ts'
import { keysTexts } from '../../texts/keys.ts'
import { snippetsFor } from './snippet-texts.ts'

const texts = keysTexts.snippets
const languages = ['curl', 'python', 'typescript'] as const

export function Snippets() {
  const origin = serviceAddress()
  const snippets = snippetsFor(origin)
  return (
    <Panel
      title={texts.title}
      description={
        <>
          {texts.description} <span className="mono">{origin}/api/v1</span>.{' '}
          <Anchor href={`${basePath}/docs`} target="_blank">
            {texts.reference}
          </Anchor>
        </>
      }
    >
      <Tabs defaultValue="curl">
        <Tabs.List mb="md">
          {languages.map((language) => (
            <Tabs.Tab key={language} value={language}>
              {texts[language]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {languages.map((language) => (
          <Tabs.Panel key={language} value={language}>
            <Snippet code={snippets[language]} what={texts.what(texts[language])} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  )
}
