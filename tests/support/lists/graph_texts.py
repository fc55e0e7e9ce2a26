"""One lattice with four translations in every format of search graphs: (tea | the tea) (please | now)."""

WEIGHTS = {"lm": 1.0, "tm": 2.0, "rare": 0.125, "transition": 1.0, "score": 1.0}
BEST = [("the tea please", -2.75), ("tea please", -3.0), ("the tea now", -3.75), ("tea now", -4.0)]

MOSES_HYPERGRAPH = """\
# target ||| features ||| source-covered
4 6
# node 0
1
<s> |||  ||| 0
# node 1
2
[0] tea  ||| lm=-1 tm=-0.5  ||| 1
[0] the tea  ||| lm=-1.5 tm=-0.25 rare=2  ||| 1
# node 2
2
[1] please  ||| lm=-1 tm=0  ||| 2
[1] now  ||| lm=-2 tm=0  ||| 2
# node 3
1
[2] </s> |||  ||| 2
"""
SEARCH_GRAPH = """\
0 hyp=0 stack=0
0 hyp=4 stack=1 back=0 score=-1.75 transition=-1.75 forward=9 fscore=-2.75 covered=0-0 out=the tea
0 hyp=2 stack=1 back=0 score=-2 transition=-2 recombined=4 forward=9 fscore=-3 covered=0-0 out=tea
0 hyp=9 stack=2 back=4 score=-2.75 transition=-1 forward=-1 fscore=-2.75 covered=1-1 out=please
0 hyp=8 stack=2 back=4 score=-3.75 transition=-2 forward=-1 fscore=-3.75 covered=1-1 out=now
"""
EXTENDED = """\
0 hyp=0 stack=0 forward=4 fscore=-2.75
0 hyp=4 stack=1 back=0 score=-1.75 transition=-1.75 forward=9 fscore=-2.75 covered=0-0 \
scores="core=(-1.5,-0.25) rare=2" out="cha|the tea"
0 hyp=2 stack=1 back=0 score=-2 transition=-2 recombined=4 forward=9 fscore=-3 covered=0-0 \
scores="core=(-1,-0.5) " out="cha|tea"
0 hyp=9 stack=2 back=4 score=-2.75 transition=-1 forward=-1 fscore=-2.75 covered=1-1 \
scores="core=(-1,0) " out="qing|please"
0 hyp=8 stack=2 back=4 score=-3.75 transition=-2 recombined=9 forward=-1 fscore=-3.75 covered=1-1 \
scores="core=(-2,0) " out="qing|now"
"""
MOSES_SLF = """\
UTTERANCE=Sentence_0
VERSION=1.1
base=2.71828182845905
NODES=9
LINKS=11
# lm lm 1 of 1
x1scale=1.000000
# tm tm 1 of 1
x2scale=2.000000
# rare rare 1 of 1
x3scale=0.125000
J=0 S=0 E=1 W=tea x1=-1.000000 x2=-0.500000 x3=0.000000
J=1 S=0 E=2 W=the x1=-1.500000 x2=-0.250000 x3=2.000000
J=2 S=2 E=3 W=tea x1=0.000000 x2=0.000000 x3=0.000000
J=3 S=1 E=4 W=please x1=-2.000000 x2=-0.500000 x3=0.000000
J=4 S=4 E=8
J=5 S=3 E=5 W=please x1=-2.500000 x2=-0.250000 x3=2.000000
J=6 S=5 E=8
J=7 S=1 E=6 W=now x1=-3.000000 x2=-0.500000 x3=0.000000
J=8 S=6 E=8
J=9 S=3 E=7 W=now x1=-3.500000 x2=-0.250000 x3=2.000000
J=10 S=7 E=8
"""
HTK_SLF = """\
VERSION=1.0
UTTERANCE=cha
lmscale=1.00 wdpenalty=0.00
N=4 L=5
I=0 t=0.00
I=1 t=0.40
I=2 t=0.80
I=3 t=1.20
J=0 S=0 E=2 W=tea v=0 a=-1.00 l=-1.00
J=1 S=0 E=1 W=the v=0 a=-1.00 l=-0.50
J=2 S=1 E=2 W="tea" v=0 a=-0.25 l=0.00
J=3 S=2 E=3 W=please a=-1.00 l=0.00
J=4 S=2 E=3 W=now a=-1.50 l=-0.50
"""
CDEC = """\
{"rules":[1,"[X] ||| cha ||| tea",2,"[X] ||| cha ||| the tea",3,"[S] ||| [X] qing ||| [1] please",\
4,"[S] ||| [X] qing ||| [1] now"],"features":["lm","tm","rare"],\
"edges":[{"tail":[],"spans":[0,1,-1,-1],"feats":[0,-1,1,-0.5],"rule":1},\
{"tail":[],"spans":[0,1,-1,-1],"feats":[0,-1.5,1,-0.25,2,2],"rule":2}],\
"node":{"in_edges":[0,1],"cat":"X"},\
"edges":[{"tail":[0],"spans":[0,2,-1,-1],"feats":[0,-1],"rule":3},\
{"tail":[0],"spans":[0,2,-1,-1],"feats":["lm",-2],"rule":4}],\
"node":{"in_edges":[2,3],"cat":"S"}}
"""
PLF = "((('tea',-2,2),('the',-1.75,1),),(('tea',0,1),),(('please',-1,1),('now',-2,1),),)\n"
NAMED_PLF = """\
((('tea',{'lm':-1,'tm':-0.5},2),('the',{'lm':-1.5,'tm':-0.25,'rare':2},1)),(('tea',{},1)),\
(('please',{'lm':-1},1),('now',{'lm':-2},1)))
"""
OPENFST = "0\t2\ttea\t2\n0\t1\tthe\t1.5\n1\t2\ttea\t0.25\n2\t3\tplease\t1\n2\t3\tnow\t2\n3\n"

TEXTS = {
    "moses-hypergraph": [MOSES_HYPERGRAPH],
    "moses-search-graph": [SEARCH_GRAPH, EXTENDED],
    "slf": [MOSES_SLF, HTK_SLF],
    "cdec-json": [CDEC],
    "plf": [PLF, NAMED_PLF],
    "openfst": [OPENFST],
}
"""Texts of each format."""
