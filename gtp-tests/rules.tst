# Rulesets by name, JSON and single rules.
1 kata-set-rules japanese
#? []
2 kata-get-rules
#? [\{.*"ko":"SIMPLE".*"scoring":"TERRITORY".*"tax":"SEKI".*\}]
3 get_komi
#? [6\.5]
4 kata-set-rules new-zealand
#? []
5 kata-get-rules
#? [\{.*"ko":"SITUATIONAL".*"scoring":"AREA".*"singleStoneSuicide":false,"suicide":true.*\}]
6 get_komi
#? [7]
7 kata-set-rules uk
#? []
8 kata-get-rules
#? [\{.*"passCostsStone":true.*"scoring":"TERRITORY".*"suicide":false.*"whitePassesLast":true\}]
9 kata-set-rules {"ko":"POSITIONAL","scoring":"AREA","suicide":true,"whiteHandicapBonus":"N-1"}
#? []
10 kata-get-rules
#? [\{.*"ko":"POSITIONAL".*"whiteHandicapBonus":"N-1".*\}]
11 kata-set-rule ko SITUATIONAL
#? []
12 kata-get-rules
#? [\{.*"ko":"SITUATIONAL".*\}]
13 kgs-rules chinese
#? []
14 kata-get-rules
#? [\{.*"ko":"POSITIONAL".*"suicide":false.*"whiteHandicapBonus":"N".*\}]
# A komi from the controller stays when rules change.
20 komi 0.5
#? []
21 kata-set-rules aga
#? []
22 get_komi
#? [0\.5]
# Suicide of one stone and of two, by ruleset.
30 boardsize 5
#? []
31 play b B1
#? []
32 play b A2
#? []
33 all_legal w
#? [!A1 .*]
34 kata-set-rules tromp-taylor
#? []
35 all_legal w
#? [!A1 .*]
36 kata-set-rule singleStoneSuicide true
#? []
37 kata-set-rule ko OWN_MOVES
#? []
# The New Zealand text forbids only boards left by White's own moves, so White may
# commit suicide.
38 all_legal w
#? [A1 .*]
# Every named ruleset has its own file: rules-NAME.tst.
40 kata-set-rules {"ko":"SPIGHT","scoring":"TERRITORY","komi":5.5}
#? []
41 kata-get-rules
#? [.*"deadStones":"CONFIRMATION".*"ko":"SPIGHT".*"scoring":"TERRITORY".*"tax":"SEKI".*]
