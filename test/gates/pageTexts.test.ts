import { expect, test } from 'vitest'
import { oneSidedStyles, pageSources, rawTexts } from './pageTexts.ts'

test('every word of the page stands in its texts', () => {
  expect(pageSources(/\.tsx?$/).flatMap(({ path, code }) => rawTexts(path, code))).toEqual([])
})

test('the gate finds a word in a view, in an attribute, in an announcement and in a template', () => {
  const code = `import { x } from 'a b c'
    export const View = () => <p class="two words" aria-label="Close" title={t('page.dismiss')}>Hello {name}</p>
    say('You left the line.'); const a = \`No. of people \${n}\`; throw new Error('for a developer')`
  expect(rawTexts('View.tsx', code)).toEqual([
    'View.tsx:2: Close',
    'View.tsx:2: Hello',
    'View.tsx:3: You left the line.',
    'View.tsx:3: No. of people',
  ])
})

test('every style follows the direction of the language', () => {
  expect(pageSources(/\.css$/).flatMap(({ path, code }) => oneSidedStyles(path, code))).toEqual([])
  expect(
    oneSidedStyles('a.css', 'a { margin-left: 0 }\nb { left: 0 }\nc { text-align: right }'),
  ).toHaveLength(3)
  expect(oneSidedStyles('a.css', '.left { margin-inline: 0 }\nb { inset-inline-start: 0 }')).toEqual([])
})
