import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  areYours:
    '.input {$count :integer} .match $count one {{المقعد لك}} two {{المقعدان لك}} few {{المقاعد الـ{$count} لك}} many {{المقاعد الـ{$count} لك}} * {{المقاعد الـ{$count} لك}}',
  yourTickets:
    '.input {$count :integer} .match $count one {{تذكرتك}} two {{تذكرتاك}} few {{تذاكرك ({$count})}} many {{تذاكرك ({$count})}} * {{تذاكرك ({$count})}}',
  howToShow:
    'أظهر الرمز عند المدخل، على هذه الشاشة أو على الورق. لتجد تذاكرك مرة أخرى افتح هذا العنوان في أي متصفح، وسجّل الدخول باسم {$name} واضغط «{$button}» في الأعلى.',
  print: 'طباعة',
  backToEvent: 'العودة إلى الفعالية',
  section: 'القسم',
  row: 'الصف',
  seat: 'المقعد',
  category: 'الفئة',
  codeComes: 'يظهر الرمز هنا بمجرد أن يكمل مصرفك عملية الدفع.',
  codeFor: 'رمز {$seat}',
  codeAsText: 'الرمز كنص',
}
