import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  areYours:
    '.input {$count :integer} .match $count one {{المقعد لك}} two {{المقعدان لك}} few {{المقاعد الـ{$count} لك}} many {{المقاعد الـ{$count} لك}} * {{المقاعد الـ{$count} لك}}',
  yourTickets:
    '.input {$count :integer} .match $count one {{تذكرتك}} two {{تذكرتاك}} few {{تذاكرك ({$count})}} many {{تذاكرك ({$count})}} * {{تذاكرك ({$count})}}',
  print: 'طباعة',
  backToEvent: 'العودة إلى الفعالية',
  section: 'القسم',
  row: 'الصف',
  seat: 'المقعد',
  category: 'الفئة',
  codeComes: 'يظهر الرمز هنا بمجرد أن يكمل مصرفك عملية الدفع.',
  codeFor: 'رمز {$seat}',
  codeAsText: 'الرمز كنص',

  unitsAreYours:
    '.input {$count :integer} .match $count one {{التذكرة لك}} two {{التذكرتان لك}} few {{التذاكر الـ {$count} لك}} many {{التذاكر الـ {$count} لك}} * {{التذاكر الـ {$count} لك}}',
  howToShow:
    'أظهر الرمز عند الباب على هذه الشاشة أو على الورق. يحتفظ به هذا الجهاز، فلا تحتاج هناك إلى شبكة.',
  showAtDoor: 'أظهره عند الباب',
  makeBright: 'ارفع سطوع الشاشة ليقرأ الماسح الرمز.',
  close: 'إغلاق',
  previous: 'التذكرة السابقة',
  next: 'التذكرة التالية',
  position: 'التذكرة {$index :integer} من {$count :integer}',
  void: 'هذه التذكرة لاغية',
  voidHint: 'لن تُقبل عند الباب. استُرد الطلب أو أُلغي.',
  pdf: 'احفظ كملف PDF',
  calendar: 'أضف إلى التقويم',
  wallet: 'أضف إلى Apple Wallet',
  keptAt: 'احتفظ هذا الجهاز بهذه التذاكر ({$time})، ويعرضها بلا شبكة.',
  noTickets: 'لا تذاكر بعد. تظهر هنا تذاكرك لكل الفعاليات.',
  pastEvents: 'فعاليات سابقة',
  openEvent: 'إلى الفعالية',
  returned: 'أُعيد إليك {$amount}.',
  onItsWay: 'مالك في طريقه إليك.',
  signInToSee: 'سجّل الدخول لترى تذاكرك.',
  signIn: 'تسجيل الدخول',
}
