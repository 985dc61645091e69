/** Sentences written for the tests, three per language. */
export const SAMPLES: Record<string, string[]> = {
  eng: [
    'The payment service is restarted every night after the backup has finished, and the team on call reads the report in the morning.',
    'Please ask your manager before you order new equipment, and keep the invoice until the end of the year.',
    'We moved the old pages into the archive because nobody had opened them since last spring.',
  ],
  deu: [
    'Der Zahlungsdienst wird jede Nacht nach der Sicherung neu gestartet, und das Team in Bereitschaft liest morgens den Bericht.',
    'Bitte fragen Sie Ihre Vorgesetzte, bevor Sie neue Geräte bestellen, und bewahren Sie die Rechnung bis zum Jahresende auf.',
    'Wir haben die alten Seiten ins Archiv verschoben, weil sie seit dem Frühling niemand mehr geöffnet hat.',
  ],
  fra: [
    'Le service de paiement est redémarré chaque nuit après la sauvegarde, et l’équipe de garde lit le rapport le matin.',
    'Veuillez demander à votre responsable avant de commander du matériel, et gardez la facture jusqu’à la fin de l’année.',
    'Nous avons déplacé les anciennes pages dans les archives parce que personne ne les ouvrait depuis le printemps.',
  ],
  spa: [
    'El servicio de pagos se reinicia todas las noches después de la copia de seguridad, y el equipo de guardia lee el informe por la mañana.',
    'Pregunte a su responsable antes de pedir equipos nuevos y guarde la factura hasta el final del año.',
    'Hemos movido las páginas antiguas al archivo porque nadie las había abierto desde la primavera.',
  ],
  ita: [
    'Il servizio dei pagamenti viene riavviato ogni notte dopo il salvataggio, e la squadra di turno legge il rapporto la mattina.',
    'Chiedete al vostro responsabile prima di ordinare nuove attrezzature e conservate la fattura fino alla fine dell’anno.',
    'Abbiamo spostato le vecchie pagine nell’archivio perché nessuno le apriva più dalla primavera.',
  ],
  por: [
    'O serviço de pagamentos é reiniciado todas as noites depois da cópia de segurança, e a equipe de plantão lê o relatório pela manhã.',
    'Pergunte ao seu gestor antes de pedir novos equipamentos e guarde a fatura até o fim do ano.',
    'Movemos as páginas antigas para o arquivo porque ninguém as abria desde a primavera passada.',
  ],
  nld: [
    'De betaaldienst wordt elke nacht na de back-up opnieuw gestart, en het team dat dienst heeft leest ’s ochtends het verslag.',
    'Vraag het aan je leidinggevende voordat je nieuwe apparatuur bestelt en bewaar de factuur tot het einde van het jaar.',
    'We hebben de oude pagina’s naar het archief verplaatst omdat niemand ze sinds het voorjaar had geopend.',
  ],
  swe: [
    'Betalningstjänsten startas om varje natt efter säkerhetskopieringen, och gruppen som har jour läser rapporten på morgonen.',
    'Fråga din chef innan du beställer ny utrustning och spara fakturan till slutet av året.',
    'Vi flyttade de gamla sidorna till arkivet eftersom ingen hade öppnat dem sedan i våras.',
  ],
  dan: [
    'Betalingstjenesten bliver genstartet hver nat efter sikkerhedskopieringen, og holdet på vagt læser rapporten om morgenen.',
    'Spørg venligst din leder, før du bestiller nyt udstyr, og gem fakturaen indtil årets udgang.',
    'Vi har flyttet de gamle sider til arkivet, fordi ingen havde åbnet dem siden foråret.',
  ],
  nor: [
    'Betalingstjenesten blir startet på nytt hver natt etter sikkerhetskopieringen, og laget som har vakt leser rapporten om morgenen.',
    'Spør lederen din før du bestiller nytt utstyr, og ta vare på fakturaen til slutten av året.',
    'Vi flyttet de gamle sidene til arkivet fordi ingen hadde åpnet dem siden i fjor vår.',
  ],
  fin: [
    'Maksupalvelu käynnistetään uudelleen joka yö varmuuskopioinnin jälkeen, ja päivystävä ryhmä lukee raportin aamulla.',
    'Kysy esimieheltäsi ennen kuin tilaat uusia laitteita, ja säilytä lasku vuoden loppuun asti.',
    'Siirsimme vanhat sivut arkistoon, koska kukaan ei ollut avannut niitä viime kevään jälkeen.',
  ],
  est: [
    'Makseteenus taaskäivitatakse igal ööl pärast varundamist ja valves olev meeskond loeb hommikul aruannet.',
    'Palun küsige oma juhilt enne uute seadmete tellimist ja hoidke arve alles aasta lõpuni.',
    'Me viisime vanad lehed arhiivi, sest keegi ei olnud neid kevadest saadik avanud.',
  ],
  lav: [
    'Maksājumu pakalpojums katru nakti pēc rezerves kopijas tiek pārstartēts, un dežurējošā komanda no rīta izlasa pārskatu.',
    'Lūdzu, jautājiet savam vadītājam, pirms pasūtāt jaunas ierīces, un saglabājiet rēķinu līdz gada beigām.',
    'Mēs pārvietojām vecās lapas uz arhīvu, jo neviens tās nebija atvēris kopš pavasara.',
  ],
  lit: [
    'Mokėjimų paslauga kiekvieną naktį po atsarginės kopijos paleidžiama iš naujo, o budinti komanda ryte skaito ataskaitą.',
    'Prieš užsakydami naują įrangą paklauskite savo vadovo ir saugokite sąskaitą iki metų pabaigos.',
    'Senus puslapius perkėlėme į archyvą, nes nuo pavasario niekas jų nebuvo atidaręs.',
  ],
  pol: [
    'Usługa płatności jest uruchamiana ponownie każdej nocy po wykonaniu kopii zapasowej, a zespół na dyżurze czyta rano raport.',
    'Zanim zamówisz nowy sprzęt, zapytaj przełożonego i zachowaj fakturę do końca roku.',
    'Przenieśliśmy stare strony do archiwum, ponieważ od wiosny nikt ich nie otwierał.',
  ],
  ces: [
    'Platební služba se každou noc po zálohování znovu spouští a tým, který má pohotovost, si ráno přečte zprávu.',
    'Než objednáte nové vybavení, zeptejte se svého vedoucího a uschovejte fakturu do konce roku.',
    'Staré stránky jsme přesunuli do archivu, protože je od jara nikdo neotevřel.',
  ],
  slk: [
    'Platobná služba sa každú noc po zálohovaní reštartuje a tím, ktorý má pohotovosť, si ráno prečíta správu.',
    'Skôr ako objednáte nové vybavenie, opýtajte sa svojho vedúceho a faktúru uschovajte do konca roka.',
    'Staré stránky sme presunuli do archívu, pretože ich od jari nikto neotvoril.',
  ],
  slv: [
    'Plačilna storitev se vsako noč po varnostnem kopiranju znova zažene, dežurna ekipa pa zjutraj prebere poročilo.',
    'Preden naročite novo opremo, vprašajte svojega vodjo in račun hranite do konca leta.',
    'Stare strani smo premaknili v arhiv, ker jih od lanske pomladi ni nihče več odprl.',
  ],
  hun: [
    'A fizetési szolgáltatást minden éjjel újraindítják a biztonsági mentés után, és az ügyeletes csapat reggel elolvassa a jelentést.',
    'Kérjük, kérdezze meg a vezetőjét, mielőtt új eszközt rendel, és őrizze meg a számlát az év végéig.',
    'A régi oldalakat áthelyeztük az archívumba, mert tavasz óta senki sem nyitotta meg őket.',
  ],
  ron: [
    'Serviciul de plăți este repornit în fiecare noapte după copia de siguranță, iar echipa de gardă citește raportul dimineața.',
    'Vă rugăm să întrebați managerul înainte de a comanda echipamente noi și să păstrați factura până la sfârșitul anului.',
    'Am mutat paginile vechi în arhivă pentru că nimeni nu le mai deschisese din primăvară.',
  ],
  sqi: [
    'Shërbimi i pagesave riniset çdo natë pasi të ketë përfunduar kopja rezervë, dhe ekipi që është në gatishmëri e lexon raportin në mëngjes.',
    'Ju lutemi pyesni drejtuesin tuaj para se të porosisni pajisje të reja dhe ruajeni faturën deri në fund të vitit.',
    'I kemi zhvendosur faqet e vjetra në arkiv, sepse askush nuk i kishte hapur që nga pranvera.',
  ],
  tur: [
    'Ödeme hizmeti her gece yedeklemeden sonra yeniden başlatılır ve nöbetçi ekip sabah raporu okur.',
    'Yeni donanım sipariş etmeden önce lütfen yöneticinize sorun ve faturayı yıl sonuna kadar saklayın.',
    'Eski sayfaları arşive taşıdık, çünkü geçen bahardan beri onları kimse açmamıştı.',
  ],
  cat: [
    'El servei de pagaments es reinicia cada nit després de la còpia de seguretat, i l’equip de guàrdia llegeix l’informe al matí.',
    'Pregunteu al vostre responsable abans de demanar equips nous i deseu la factura fins a final d’any.',
    'Hem mogut les pàgines antigues a l’arxiu perquè ningú no les havia obert des de la primavera.',
  ],
  isl: [
    'Greiðsluþjónustan er endurræst á hverri nóttu eftir afritunina og teymið á vakt les skýrsluna á morgnana.',
    'Vinsamlegast spyrjið yfirmann ykkar áður en þið pantið nýjan búnað og geymið reikninginn til loka ársins.',
    'Við fluttum gömlu síðurnar í skjalasafnið vegna þess að enginn hafði opnað þær síðan í vor.',
  ],
  vie: [
    'Dịch vụ thanh toán được khởi động lại mỗi đêm sau khi sao lưu xong, và nhóm trực đọc báo cáo vào buổi sáng.',
    'Vui lòng hỏi người quản lý của bạn trước khi đặt mua thiết bị mới và giữ hóa đơn đến cuối năm.',
    'Chúng tôi đã chuyển các trang cũ vào kho lưu trữ vì không ai mở chúng từ mùa xuân.',
  ],
  rus: [
    'Платёжный сервис перезапускается каждую ночь после резервного копирования, а дежурная команда утром читает отчёт.',
    'Пожалуйста, спросите руководителя, прежде чем заказывать новое оборудование, и храните счёт до конца года.',
    'Мы перенесли старые страницы в архив, потому что с весны их никто не открывал.',
  ],
  ukr: [
    'Платіжний сервіс перезапускається щоночі після резервного копіювання, а чергова команда вранці читає звіт.',
    'Будь ласка, запитайте керівника, перш ніж замовляти нове обладнання, і зберігайте рахунок до кінця року.',
    'Ми перенесли старі сторінки до архіву, тому що з весни їх ніхто не відкривав.',
  ],
  bul: [
    'Услугата за плащания се рестартира всяка нощ след архивирането, а дежурният екип чете доклада сутрин.',
    'Моля, попитайте ръководителя си, преди да поръчате ново оборудване, и пазете фактурата до края на годината.',
    'Преместихме старите страници в архива, защото никой не ги беше отварял от пролетта.',
  ],
  ell: [
    'Η υπηρεσία πληρωμών επανεκκινείται κάθε βράδυ μετά το αντίγραφο ασφαλείας και η ομάδα διαβάζει την αναφορά το πρωί.',
    'Ρωτήστε τον υπεύθυνό σας πριν παραγγείλετε νέο εξοπλισμό και κρατήστε το τιμολόγιο ως το τέλος του έτους.',
    'Μεταφέραμε τις παλιές σελίδες στο αρχείο επειδή κανείς δεν τις είχε ανοίξει από την άνοιξη.',
  ],
  heb: [
    'שירות התשלומים מופעל מחדש בכל לילה אחרי הגיבוי, והצוות התורן קורא את הדוח בבוקר.',
    'נא לשאול את המנהל לפני שמזמינים ציוד חדש, ולשמור את החשבונית עד סוף השנה.',
    'העברנו את הדפים הישנים לארכיון כי אף אחד לא פתח אותם מאז האביב.',
  ],
  ara: [
    'تتم إعادة تشغيل خدمة الدفع كل ليلة بعد انتهاء النسخ الاحتياطي، ويقرأ الفريق المناوب التقرير في الصباح.',
    'يرجى سؤال مديرك قبل طلب معدات جديدة، والاحتفاظ بالفاتورة حتى نهاية السنة.',
    'نقلنا الصفحات القديمة إلى الأرشيف لأن أحدا لم يفتحها منذ الربيع الماضي.',
  ],
  fas: [
    'سرویس پرداخت هر شب پس از پایان پشتیبان‌گیری دوباره راه‌اندازی می‌شود و گروه آماده‌باش صبح گزارش را می‌خواند.',
    'لطفاً پیش از سفارش دادن تجهیزات تازه از مدیر خود بپرسید و صورت‌حساب را تا پایان سال نگه دارید.',
    'صفحه‌های قدیمی را به بایگانی بردیم، چون از بهار گذشته کسی آن‌ها را باز نکرده بود.',
  ],
  hin: [
    'भुगतान सेवा हर रात बैकअप पूरा होने के बाद फिर से शुरू की जाती है, और ड्यूटी पर मौजूद टीम सुबह रिपोर्ट पढ़ती है।',
    'नया उपकरण मँगाने से पहले कृपया अपने प्रबंधक से पूछें और साल के अंत तक बिल संभाल कर रखें।',
    'हमने पुराने पन्नों को संग्रह में डाल दिया है क्योंकि वसंत के बाद से किसी ने उन्हें नहीं खोला था।',
  ],
  tha: [
    'บริการชำระเงินจะเริ่มทำงานใหม่ทุกคืนหลังจากสำรองข้อมูลเสร็จ และทีมที่เข้าเวรจะอ่านรายงานในตอนเช้า',
    'กรุณาถามหัวหน้าของคุณก่อนสั่งซื้ออุปกรณ์ใหม่ และเก็บใบแจ้งหนี้ไว้จนถึงสิ้นปี',
    'เราย้ายหน้าเก่าไปไว้ในคลังเอกสาร เพราะไม่มีใครเปิดดูตั้งแต่ฤดูใบไม้ผลิ',
  ],
  jpn: [
    '決済サービスは毎晩バックアップが終わった後に再起動され、当番のチームが朝に報告書を読みます。',
    '新しい機器を注文する前に上司に確認し、請求書は年末まで保管してください。',
    '春から誰も開いていなかったので、古いページをアーカイブに移しました。',
  ],
  kor: [
    '결제 서비스는 매일 밤 백업이 끝난 뒤에 다시 시작되고, 당번 팀이 아침에 보고서를 읽습니다.',
    '새 장비를 주문하기 전에 관리자에게 먼저 물어보고, 청구서는 연말까지 보관해 주세요.',
    '봄 이후로 아무도 열지 않았기 때문에 오래된 페이지를 보관함으로 옮겼습니다.',
  ],
  zho: [
    '支付服务每天晚上在备份完成之后重新启动，值班的团队早上会阅读报告，并且把问题记录下来。',
    '订购新设备之前请先询问您的经理，并且把发票保存到年底，财务部门可能会需要它们。',
    '我们把旧的页面移到了档案里，因为从春天开始就没有人打开过它们。',
  ],
  hye: [
    'Վճարային ծառայությունը ամեն գիշեր պահուստավորումից հետո վերագործարկվում է, և հերթապահ թիմը առավոտյան կարդում է հաշվետվությունը։',
    'Խնդրում ենք հարցնել ձեր ղեկավարին նոր սարքավորում պատվիրելուց առաջ և պահել հաշիվը մինչև տարեվերջ։',
    'Մենք հին էջերը տեղափոխեցինք արխիվ, որովհետև գարնանից ի վեր ոչ ոք դրանք չէր բացել։',
  ],
  kat: [
    'გადახდის სერვისი ყოველ ღამე სარეზერვო ასლის შემდეგ თავიდან ეშვება და მორიგე გუნდი დილით კითხულობს ანგარიშს.',
    'გთხოვთ, ჰკითხოთ თქვენს ხელმძღვანელს ახალი აღჭურვილობის შეკვეთამდე და შეინახოთ ინვოისი წლის ბოლომდე.',
    'ძველი გვერდები არქივში გადავიტანეთ, რადგან გაზაფხულის შემდეგ ისინი არავის გაუხსნია.',
  ],
}

/** Languages that the library does not know: any answer would be a guess. */
export const UNKNOWN_LANGUAGES: Record<string, string> = {
  Welsh:
    'Mae’r gwasanaeth talu yn cael ei ailgychwyn bob nos ar ôl y copi wrth gefn, ac mae’r tîm sydd ar ddyletswydd yn darllen yr adroddiad yn y bore. Gofynnwch i’ch rheolwr cyn archebu offer newydd.',
  Irish:
    'Atosaítear an tseirbhís íocaíochta gach oíche tar éis an chúltaca, agus léann an fhoireann atá ar dualgas an tuarascáil ar maidin. Fiafraigh de do bhainisteoir sula n-ordaíonn tú trealamh nua.',
  Swahili:
    'Huduma ya malipo huanzishwa upya kila usiku baada ya nakala rudufu kukamilika, na timu iliyo zamu husoma ripoti asubuhi. Tafadhali muulize meneja wako kabla ya kuagiza vifaa vipya.',
  Latin:
    'Ministerium pecuniarum omni nocte post exemplaria servata iterum incipit, et manipulus vigilum mane relationem legit. Quaeso praefectum tuum interroga priusquam instrumenta nova poscas.',
  Esperanto:
    'La paga servo estas restartigata ĉiunokte post la sekurkopio, kaj la deĵoranta teamo legas la raporton matene. Bonvolu demandi vian estron antaŭ ol vi mendos novan ekipaĵon.',
  Kazakh:
    'Төлем қызметі әр түнде сақтық көшірмеден кейін қайта іске қосылады, ал кезекші топ таңертең есепті оқиды. Жаңа жабдыққа тапсырыс бермес бұрын басшыңыздан сұраңыз.',
  Luxembourgish:
    'De Bezueldéngscht gëtt all Nuecht no der Sécherung nei gestart, an d’Equipe déi Déngscht huet liest moies de Rapport. Frot w.e.g. Äre Chef ier Dir neit Material bestellt.',
}

export const WITHOUT_LANGUAGE: Record<string, string> = {
  'a short text': 'Release notes for May',
  'an empty text': '',
  numbers:
    '12 000 13 500 2024-05-01 99.95 % 3.14159 4711 0815 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25',
  names:
    'Anna Kowalska, Jean Dupont, Li Wei, Priya Raman, John Smith, Maria Garcia, Hans Müller, Yuki Tanaka, Olga Ivanova, Ahmed Hassan, Lars Nilsson, Giulia Rossi',
  code: `export function retry(run, limit) { for (let i = 0; i < limit; i++) { try { return run() } catch (e) { if (i + 1 === limit) throw e } } }
const x = foo.bar(baz, qux) ?? null; if (!x) return undefined; let y = x.map((z) => z.id).filter(Boolean);`,
  SQL: 'SELECT a.id, b.name FROM accounts a JOIN books b ON b.account_id = a.id WHERE a.deleted_at IS NULL ORDER BY b.name LIMIT 100 OFFSET 20;',
  addresses:
    'https://wiki.example/pages/1 https://wiki.example/pages/2 ops@example.com 10.0.0.1 192.168.1.254 /var/log/app/current.log /etc/app/config.yaml C:\\\\Temp\\\\out.txt',
  hexadecimal:
    'a3f5b2c49d e8d1f0a7b6 5c4d3e2f1a 0b9c8d7e6f ffeeddccbb 1a2b3c4d5e 9f8e7d6c5b 4a3b2c1d0e deadbeef00 cafebabe11 0123456789 abcdefabcd',
  'English and German in halves': `${SAMPLES.eng!.join(' ')} ${SAMPLES.deu!.join(' ')}`,
  'Russian and English in halves': `${SAMPLES.rus!.join(' ')} ${SAMPLES.eng!.join(' ')}`,
  'French and Japanese in halves': `${SAMPLES.fra!.join(' ')} ${SAMPLES.jpn!.join(' ')}`,
  'English and Korean in halves': `${SAMPLES.eng!.join(' ')} ${SAMPLES.kor!.join(' ')}`,
  'Chinese and English in turn': SAMPLES.zho!.map((text, at) => `${text}\n${SAMPLES.eng![at]}`).join('\n'),
  'Korean and Japanese in halves': `${SAMPLES.kor!.join('\n')}\n${SAMPLES.jpn!.join('\n')}`,
  'names in Korean letters between others': `${'Grafana Prometheus Alertmanager Loki Tempo Jaeger Kafka Redis '.repeat(8)} 서울 부산 대전 광주 대구 인천 울산 수원 창원 고양 용인 성남 청주 안산 전주`,
  'four languages in turn': [SAMPLES.spa![0], SAMPLES.swe![0], SAMPLES.pol![0], SAMPLES.tur![0]].join(' '),
}

/** Technical pages with names, commands and numbers between the words. */
export const TECHNICAL: Record<string, string> = {
  kor: `Kubernetes 배포
1. Helm chart 를 values.yaml 로 설정
2. kubectl rollout restart deployment/api-server -n prod 실행
Pod 상태가 Running 이 아니면 kubectl describe pod 로 Event 를 확인합니다.
API_TOKEN, DB_HOST=10.0.0.1, DB_PORT=5432
GitHub Actions 에서 docker build 후 ECR 에 push 하면 Argo CD 가 sync 합니다.
Grafana Dashboard, Prometheus Alertmanager, Loki
로그는 /var/log/app/current.log 에서 조회하세요.`,
  jpn: `Kubernetes デプロイ
1. Helm chart の values.yaml を設定
2. kubectl rollout restart deployment/api-server -n prod を実行
Pod が Running でない場合は kubectl describe pod で Event を確認します。
API_TOKEN, DB_HOST=10.0.0.1, DB_PORT=5432
GitHub Actions で docker build して ECR に push すると Argo CD が sync します。
Grafana Dashboard, Prometheus Alertmanager, Loki`,
  zho: `Kubernetes 部署
1. 在 Helm chart 的 values.yaml 中设置
2. 执行 kubectl rollout restart deployment/api-server -n prod
如果 Pod 不是 Running 状态，请用 kubectl describe pod 查看 Event。
API_TOKEN, DB_HOST=10.0.0.1, DB_PORT=5432
用 GitHub Actions 运行 docker build 之后 push 到 ECR，Argo CD 会 sync。
Grafana Dashboard, Prometheus Alertmanager, Loki
日志保存在 /var/log/app/current.log 里。`,
  tha: `Kubernetes การติดตั้ง
1. ตั้งค่า values.yaml ของ Helm chart
2. เรียก kubectl rollout restart deployment/api-server -n prod
ถ้า Pod ไม่ใช่ Running ให้ดู Event ด้วย kubectl describe pod
API_TOKEN, DB_HOST=10.0.0.1, DB_PORT=5432
ใช้ GitHub Actions เพื่อ docker build แล้ว push ไปที่ ECR`,
  ara: `نشر Kubernetes
1. اضبط ملف values.yaml في Helm chart قبل النشر
2. نفذ الأمر kubectl rollout restart deployment/api-server -n prod
إذا لم تكن حالة Pod هي Running فتحقق من Event باستخدام kubectl describe pod
API_TOKEN, DB_HOST=10.0.0.1, DB_PORT=5432
استخدم GitHub Actions لتنفيذ docker build ثم push إلى ECR وبعدها يقوم Argo CD بالمزامنة`,
}
