import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { detectFiletype } from '../../../../filetype/filetype.ts'
import { createFileReading } from '../../reading/file-reading.ts'

const files = createFileReading({ readers: 1 })
after(() => files.close())
const { signal } = new AbortController()

async function read(content: string, filename: string): Promise<string[]> {
  const bytes = Buffer.from(content)
  const filetype = await detectFiletype(bytes, filename, true)
  const file = { filename, filetype, bytes, url: '', strategy: 'fast' as const, languages: [] }
  const { elements } = await files.read(file, signal)
  return elements.map(
    ({ type, text }) => `${type === 'ListItem' ? '-' : type === 'Title' ? '#' : '|'} ${text}`,
  )
}

describe('diagrams of Mermaid', () => {
  test('it reads the nodes and edges of a flowchart', async () => {
    const source = `---
title: High water
---
%% a comment
flowchart TD
    A[The bell rings] --> B{Is it<br/>high?}
    B -->|Yes| C("Open both gates") & D
    B -- not yet --> A
    C -.-> D((Wait)):::calm
    subgraph one [North bank]
      E["A lonely node"]
    end
    classDef calm fill:#fff
    style A fill:#f9f
`
    assert.deepEqual(await read(source, 'a.mmd'), [
      '# High water',
      '- The bell rings → Is it high?',
      '- Is it high? → Open both gates: Yes',
      '- Is it high? → Wait: Yes',
      '- Is it high? → The bell rings: not yet',
      '- Open both gates → Wait',
      '| North bank',
      '| A lonely node',
    ])
  })

  test('it reads the messages and notes of a sequence', async () => {
    const source = `sequenceDiagram
    participant K as Keeper of the weir
    actor M
    K->>+M: Open the gate
    loop Every hour
      M-->>-K: Level is 40 cm
    end
    Note over K,M: Both sleep at night
`
    assert.deepEqual(await read(source, 'a.mermaid'), [
      '- Keeper of the weir → M: Open the gate',
      '| Every hour',
      '- M → Keeper of the weir: Level is 40 cm',
      '| Both sleep at night',
    ])
  })

  test('it reads classes, states and entities', async () => {
    assert.deepEqual(
      await read('classDiagram\nGate <|-- Sluice : kind\nclass Gate {\n+int height\n+open()\n}\n', 'a.mmd'),
      ['- Gate ← Sluice: kind', '| +int height', '| +open()'],
    )
    assert.deepEqual(await read('stateDiagram-v2\n[*] --> Closed\nClosed --> Open : bell\n', 'a.mmd'), [
      '- ● → Closed',
      '- Closed → Open: bell',
    ])
    assert.deepEqual(await read('erDiagram\nKEEPER ||--o{ GATE : opens\n', 'a.mmd'), [
      '- KEEPER – GATE: opens',
    ])
    assert.deepEqual(await read('pie title Grain\n"Rye" : 40\n', 'a.mmd'), ['# Grain', '| Rye : 40'])
    assert.deepEqual(await read('# Notes\n\nOne.\n', 'a.mmd'), ['# Notes', '| One.'])
  })
})

describe('diagrams of PlantUML', () => {
  test('it reads participants, messages and notes', async () => {
    const source = `@startuml
!include https://weir.example.com/secret.puml
skinparam sequence {
  ArrowColor Red
}
title The bell
' a comment
/' more
comment '/
participant "Keeper of\\nthe weir" as K
actor Miller as M #red
database Levels
K -> M : **Open** the gate
M --> K: done
note right of M
  He is
  often asleep.
end note
note left: Briefly
== Night ==
alt high water
  K ->x M
else low
end
@enduml`
    assert.deepEqual(await read(source, 'note.txt'), [
      '# The bell',
      '| Levels',
      '- Keeper of the weir → Miller: Open the gate',
      '- Miller → Keeper of the weir: done',
      '| He is\noften asleep.',
      '| Briefly',
      '| Night',
      '| high water',
      '- Keeper of the weir → Miller',
      '| low',
    ])
  })

  test('it reads components, classes and activities', async () => {
    const source = `[Weir] as W
node "Mill house" {
  component Wheel
}
W ..> Wheel : turns
interface Gate {
  +open()
  -int height
}
Gate "1" *-- "many" Board : has
`
    assert.deepEqual(await read(source, 'a.puml'), [
      '| Mill house',
      '- Weir → Wheel: turns',
      '| Gate\n+open()\n-int height',
      '- Gate – Board: has, 1, many',
    ])
    const activity =
      '@startuml\nstart\n:Ring the\nbell;\nif (high water?) then (yes)\n:Open;\nelse (no)\nendif\nstop\n@enduml'
    assert.deepEqual(await read(activity, 'a.wsd'), [
      '| Ring the\nbell',
      '| high water? yes',
      '| Open',
      '| no',
    ])
    assert.deepEqual(await read('@startmindmap\n* Weir\n** North gate\n@endmindmap', 'a.iuml'), [
      '| Weir',
      '| North gate',
    ])
  })
})
