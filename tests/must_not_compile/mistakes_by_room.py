# SPDX-License-Identifier: BSL-1.0
"""The usual mistakes with schedules, searches of candidates, graphs and plans of several choices, for `usual_mistakes.py`."""

POLICY = ("the_first_argument_is_an_execution_policy_of_thrust", "// thrust::seq")
SPACE = ("after_the_policy_comes_a_candidate_space", "// all_cuts(items, stages)")
EVALUATOR = ("an_evaluator_returns_the_cost_of_a_candidate_from_a_const_call_operator", "// operator()(candidate) const")
OPTIONS = ("after_the_evaluator_come_candidate_options", "// candidate_options")
MOST = ("after_the_evaluator_come_the_highest_cost", "// most, capacity, then options")
NUMBER = ("after_the_evaluator_comes_the_number_of_candidates", "// best_n(policy, space, evaluator, n, options)", "// n, then options")
WRAP_COST = ("wrap_it_in_stage_objective", "// stage_objective(cost)")
WRAP_MODEL = ("wrap_it_in_cut_makespan", "// cut_makespan(model, schedule)")
THREE = "[](std::size_t, std::size_t, std::size_t) { return true; }"
ITEM_TIMES = ("item_times(forward, backward)",)

SEARCH_TYPES = """namespace search = stagecut::search;
struct spread { double operator()(search::candidate points) const { return points[1]; } };
struct nothing { void operator()(search::candidate) const {} };
struct yes { bool operator()(search::candidate) const { return true; } };
struct changing { double operator()(search::candidate) { return 1; } };
struct of_vector { double operator()(const std::vector<std::size_t>&) const { return 1; } };
struct without_room { using number = double; std::size_t room() const { return 3; } double operator()(search::candidate) const { return 1; } };
struct without_points { std::uint64_t size() const { return 3; } void decode(std::uint64_t, search::candidate_room) const {} };
struct changing_space {
  std::uint64_t size() { return 3; }
  std::size_t points() { return 3; }
  void decode(std::uint64_t, search::candidate_room) {}
};"""
SEARCH_VALUES = """const auto cuts = search::all_cuts(6, 2);
const std::vector<double> items{1, 2, 3, 4, 5, 6};
const prefix_sums sums(items);
const auto interval = [](std::size_t first, std::size_t last) { return double(last - first); };
const auto two = [](std::size_t, std::size_t) { return true; };
const makespan_request request;
const item_times times({1, 2, 3}, {1, 2, 3});
const schedule order = one_forward_one_backward(2, 4);
(void)cuts, (void)sums, (void)interval, (void)two, (void)request, (void)times, (void)order;"""
SEARCH = [  # the program: one of these is named
    ("search::best(cuts, spread());", POLICY),
    ("search::best(cuts, spread(), thrust::seq);", POLICY),
    ("search::best(thrust::seq, spread(), cuts);", SPACE),
    ("search::best(thrust::seq, std::vector<std::vector<std::size_t>>{{0, 1, 6}}, spread());", SPACE),
    ("search::best(thrust::seq, without_points(), spread());", SPACE),
    ("search::best(thrust::seq, changing_space(), spread());", SPACE),
    ("search::best(thrust::seq, cuts);", ("after_the_candidate_space_comes_an_evaluator", "// double operator()(search::candidate) const")),
    ("search::best(thrust::seq, cuts, sums);", WRAP_COST),
    ("search::best(thrust::seq, cuts, items);", WRAP_COST),
    ("search::best(thrust::seq, cuts, times);", WRAP_MODEL),
    ("search::best(thrust::seq, cuts, interval);", EVALUATOR),
    ("search::best(thrust::seq, cuts, nothing());", EVALUATOR),
    ("search::best(thrust::seq, cuts, yes());", EVALUATOR),
    ("search::best(thrust::seq, cuts, changing());", EVALUATOR),
    ("search::best(thrust::seq, cuts, of_vector());", EVALUATOR),
    ("search::best(thrust::seq, cuts, without_room());", EVALUATOR),
    ("search::best(thrust::seq, cuts, spread(), 3);", OPTIONS),
    ("search::best(thrust::seq, cuts, spread(), search_options());", OPTIONS),
    ("search::best_n(thrust::seq, cuts, spread());", NUMBER),
    ("search::best_n(thrust::seq, cuts, spread(), search::candidate_options(), 3);", NUMBER),
    ("search::best_n(thrust::seq, 3, cuts, spread());", SPACE),
    ("search::all_below(thrust::seq, cuts, spread());", MOST),
    ("search::all_below(thrust::seq, cuts, spread(), 3.0);", MOST),
    ("search::all_below(thrust::seq, cuts, times, 3.0, 5);", WRAP_MODEL),
    ("search::weighted_sum(1.0, sums, 2.0, spread());", ("weighted_sum(weight, evaluator, weight, evaluator) takes",)),
    ("search::weighted_sum(spread(), 1.0, spread(), 2.0);", ("weighted_sum(double",)),
    ("search::constrained_cost(spread(), two);", ("asks the constraint constraint(stage, first, last) const",)),
    ("search::constrained_cost(spread(), [](search::candidate) { return true; });", ("constraint(stage, first, last) const",)),
    (f"search::constrained_cost(sums, {THREE});", ("constrained_cost(evaluator, constraint) takes",)),
    (f"search::constrained_cost({THREE}, spread());", ("constrained_cost(evaluator, constraint) takes",)),
    ("search::stage_objective<std::vector<double>> own(items);", ("give prefix_sums(items) or your own cost",)),
    ("search::stage_objective<item_times> own(times);", ("give prefix_sums(items) or your own cost",)),
    ("search::stage_objective(bottleneck(), sums);", ("takes an objective over the stages as bottleneck()",)),
    ("search::stage_objective(sums, spread());", ("takes an objective over the stages as bottleneck()",)),
    ("search::peak_memory<decltype(interval)> own(interval, order);", ("memory(stage, first, last, held) const",)),
    ("search::peak_memory<std::vector<double>> own(items, order);", ("memory(stage, first, last, held) const",)),
    ("search::cut_makespan own(items, order);", ITEM_TIMES),
    ("search::cut_makespan own(order, times);", ITEM_TIMES),
    ("search::one_forward_one_backward_rows<2> own(items, 4);", ITEM_TIMES),
    ("search::product(cuts, items);", ("takes two candidate spaces",)),
    ("search::paths_below(items, request, 3.0);", ("a_pipeline_model_comes_first", *ITEM_TIMES)),
    ("search::paths_below(request, times, 3.0);", ("after_the_pipeline_model_come_a_makespan_request", "makespan_request{")),
    ("search::paths_below(times, request);", ("after_the_pipeline_model_come_a_makespan_request", "makespan_request{")),
    ("search::stage_dp(sums, 2);", POLICY),
    ("search::stage_dp(thrust::seq, items, 2);", ("after_the_policy_comes_a_cost_of_stages", "// prefix_sums(items)")),
    ("search::stage_dp(thrust::seq, interval, 2);", ("after_the_policy_comes_a_cost_of_stages", "monotone(n, f)")),
    ("search::stage_dp(thrust::seq, sums);", ("after_the_cost_comes_the_number_of_stages", "// stage_dp(policy, cost, stages")),
    ("search::stage_dp(thrust::seq, sums, 2, cost_range());", ("comes_an_isotone_objective", "// total_cost()")),
    (f"search::stage_dp(thrust::seq, sums, 2, {THREE});", ("comes_an_isotone_objective", "// total_cost()")),
    ("search::stage_dp(thrust::seq, sums, 2, bottleneck(), two);", ("is_asked_of_stage_first_last", "// (s, i, j)")),
    ("search::sweep(profile(), plan_request(), {.devices = {4}});", POLICY),
    ("search::sweep(thrust::seq, profile(), request, sweep_axes());",
     ("after_the_policy_come_a_profile_a_plan_request", "// (policy, profile, request, axes)")),
    ("search::tempered(4);", POLICY),
    ("search::enumerated(3.0, thrust::seq);", POLICY),
    ("search::enumerated(thrust::seq);", ("after_the_policy_comes_the_time_limit", "// enumerated(policy, seconds)")),
    ("search::backends_on own(4);", ("takes an execution policy of Thrust",)),
    ("search::candidate_list(3).add(items);", ("takes the integers of a candidate",)),
    ("search::neighbourhood own(std::vector<std::uint32_t>{0, 3, 6});", ("cuts",)),
    ("search::cuts_within(items);", ("interval",)),
]

SCHEDULE_VALUES = """const std::vector<double> items{1, 2, 3};
const schedule order = one_forward_one_backward(2, 4);
const pass_times<double> times{{1, 1}, {1, 1}};
const pass_times<int> whole{{1, 1}, {1, 1}};
const transfer_times<double> sent;
const std::vector<std::size_t> active{2, 1};
const task_graph tasks(order);
(void)items, (void)times, (void)whole, (void)sent, (void)active, (void)tasks;"""
PASSES = ("after_the_schedule_come_pass_times", "// pass_times<double>{")
FIRST = ("a_schedule_comes_first_as_make_schedule_returns_it", "// (schedule, pass_times, transfer_times)")
SCHEDULE = [
    ("simulate(order, items);", PASSES),
    ("simulate(order, items, items);", PASSES),
    ("simulate(order, item_times({1, 2}, {1, 2}));", PASSES),
    ("simulate(order, whole, sent);", ("pass_times_and_transfer_times_have_to_be_of_one_type", "// both of double")),
    ("simulate(times, order);", FIRST),
    ('simulate("1f1b", times);', FIRST),
    ("simulate(schedule_kind::one_forward_one_backward, times);", FIRST),
    ("split_makespan(order, items);", ("pass_times",)),
    ("split_makespan(order, whole, sent);", ("conflicting types for parameter 'T' ('int'",)),
    ("memory_curve(order, times);", ("simulation<T>", "'simulation' against")),
    ("memory_curve(order, simulate(order, times), items);", ("stage_bytes",)),
    ("recorded_run(order, std::vector<timed_op<double>>{});", ("std::vector<std::vector<timed_op<T>>> ops",)),
    ("backward_first(times, sent, 2, 4);", ("view<const",)),
    ("backward_first(times, sent, std::vector<int>{2, 1}, 4);", ("view<const",)),
    ("backward_first(whole, sent, active, 4);", ("conflicting types for parameter 'T' ('int'",)),
    ("simulation_workspace<int> room; (void)tasks.makespan(times, sent, room);", ("conflicting types for parameter 'T' ('double'",)),
    ("lanes<short> own{slot_program(tasks)};", ("lanes hold numbers of 4 or 8 bytes",)),
    ("slot_program own(order);", ("const task_graph&", "to 'const task_graph'")),
    ('make_schedule("1f1b", 2, 4);', ("const schedule_shape& shape", "schedule_kind kind")),
    ("one_forward_one_backward(2);", ("std::size_t microbatches",)),
    ("in_flight_order(std::vector<int>{1, 2}, 4);", ("view<const",)),
    ('lower_transfers("1f1b");', ("const schedule",)),
    ("check_schedule(order.orders);", ("const schedule",)),
]

GRAPH_TYPES = """struct piece { double seconds; std::string name; long stage; };
struct wire { double bytes; };
using layers = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, piece, wire>;
using undirected = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, piece>;
struct set {
  std::size_t size() const { return 3; }
  void add(std::size_t) {}
  void remove(std::size_t) {}
  double value(const stagecut::stage_role&) const { return 1; }
};
struct changing_set : set { double value(const stagecut::stage_role&) { return 1; } };
struct set_without_role : set { double value() const { return 1; } };
struct set_of_text : set { std::string value(const stagecut::stage_role&) const { return {}; } };
struct set_that_stays : set { void remove() {} };
struct set_not_copied : set { set_not_copied() = default; set_not_copied(const set_not_copied&) = delete; };
struct set_with_fits : set { bool fits(std::size_t) const { return true; } };
struct set_with_least : set { double least() const { return 0; } };"""
GRAPH_VALUES = """layers g;
undirected u;
const layers same;
const std::vector<double> items{1, 2, 3};
const std::vector<std::size_t> stages{0, 0, 1};
const load_request request;
const operator_graph graph;
const precedence below;
const profile model;
(void)u, (void)same, (void)items, (void)stages, (void)request, (void)graph, (void)below, (void)model;"""
NO_GRAPH = ("this is no Boost graph: it lacks some of the member types",)
NO_MAP = ("neither a property map of the graph's vertices, nor a member",)
NO_NUMBER = ("the value of a vertex is not a number; of groups and stages, not an integer",)
BY_NAME = ("figures_are_given_by_name_in_braces", "// (g, {.forward = &op::seconds})")
PUT = ("values_of_a_boost_graph_are_put_from_a_vector_by_a_writable_map", "// put_by_vertex(g, values, get(&op::stage, g))")
MAKE_GRAPH = ("make_an_operator_graph_of_it", "// make_operator_graph(g, maps), graph_of(profile)")
LOAD_REQUEST = ("an_operator_graph_is_followed_by_a_load_request", "// (operator_graph, load_request{")
SET_COST = ("a_set_cost_has_size_add_and_remove", "// set_cost: see graph/set_cost.hpp")
SETS = ("changing_set", "set_without_role", "set_of_text", "set_that_stays", "set_not_copied")
GRAPH = [
    ("make_operator_graph(items);", NO_GRAPH),
    ("make_operator_graph(model);", NO_GRAPH),
    ("make_operator_graph(std::vector<std::pair<int, int>>{{0, 1}}, {.forward = &piece::seconds});", NO_GRAPH),
    ("make_operator_graph(u);", ("this graph is undirected",)),
    ("make_operator_graph(g, {.forward = &wire::bytes});", NO_MAP),
    ("make_operator_graph(g, {.forward = get(&wire::bytes, g)});", NO_MAP),
    ("make_operator_graph(g, {.forward = [](const piece& each) { return each.seconds; }});", NO_MAP),
    ("make_operator_graph(g, {.forward = [](const layers&, std::size_t) { return 1.0; }});", NO_MAP),
    ("make_operator_graph(g, {.forward = items});", NO_MAP),
    ('make_operator_graph(g, {.forward = "seconds"});', NO_MAP),
    ("make_operator_graph(g, {.forward = &piece::name});", NO_NUMBER),
    ("make_operator_graph(g, {.forward = [](auto) { return std::string(); }});", NO_NUMBER),
    ("make_operator_graph(g, {.forward = [](auto) {}});", NO_NUMBER),
    ("make_operator_graph(g, {.group = &piece::seconds});", NO_NUMBER),
    ("make_operator_graph(g, &piece::seconds);", BY_NAME),
    ("make_operator_graph(g, get(&piece::seconds, g));", BY_NAME),
    ("make_operator_graph(g, get(&piece::seconds, g), get(&piece::stage, g));", BY_NAME),
    ("make_operator_graph(g, operator_maps<undirected>{});", BY_NAME),
    ("put_by_vertex(items, stages, get(&piece::stage, g));", PUT),
    ("put_by_vertex(g, get(&piece::stage, g), stages);", PUT),
    ("put_by_vertex(g, stages, &piece::stage);", PUT),
    ("put_by_vertex(g, stages, get(&wire::bytes, g));", PUT),
    ("put_by_vertex(same, stages, get(&piece::stage, same));", PUT),
    ("put_by_vertex(g, graph_partition(), get(&piece::stage, g));", PUT),
    ("std::vector<long> to(3); put_by_vertex(g, stages, to);", PUT),
    ("put_by_vertex(g, stages);", PUT),
    ("minimize_load(g, request);", MAKE_GRAPH),
    ("minimize_load(g, {.devices = 4});", MAKE_GRAPH),
    ("minimize_load(model, request);", MAKE_GRAPH),
    ("minimize_load(items, request);", MAKE_GRAPH),
    ("minimize_load(set(), request);", MAKE_GRAPH),
    ("minimize_load(request, graph);", LOAD_REQUEST),
    ("minimize_load(graph, plan_request());", LOAD_REQUEST),
    ("minimize_load(graph, graph_makespan_request());", LOAD_REQUEST),
    ("minimize_load(graph, 4);", LOAD_REQUEST),
    ("minimize_load(graph);", LOAD_REQUEST),
    ("minimize_load(set(), below, request);", ("a_set_cost_comes_after_a_precedence", "// contraction(graph).below()")),
    ("minimize_load(graph, set(), {.devices = 2});", ("a_set_cost_comes_after_a_precedence", "// contraction(graph).below()")),
    *((f"minimize_load(below, {each}(), {{.devices = 2}});", SET_COST) for each in SETS),
    ("minimize_load(below, set_with_fits(), request);", ("a set cost's fits has to be fits(role) const",)),
    ("minimize_load(below, set_with_least(), request);", ("a set cost's least has to be least(role) const",)),
    ("order_costs<changing_set> own(changing_set(), {0, 1, 2}, 2);", ("order_costs takes a set_cost: size(), add(e)",)),
    ("order_costs own(items, {0, 1, 2}, 2);", ("order_costs takes a set_cost: size(), add(e)",)),
    ("order_costs own(set(), stages, 2);", ("precedence::element>",)),
    ("minimize_communication(graph, request);", ("communication_request",)),
    ("minimize_graph_makespan(g, graph_makespan_request());", ("operator_graph",)),
    ("minimize_graph_makespan(graph, request);", ("graph_makespan_request",)),
    ("multilevel(graph, multilevel_request());", ("weighted_dag",)),
    ("plan_graph(graph, plan_request());", ("to 'const profile", "const profile&")),
    ("refine_partition(graph, std::vector<int>{0, 1});", ("vector<std::size_t>", "vector<long unsigned int>")),
]

JOINT_TYPES = """struct whole {
  std::size_t size() const { return 3; }
  template <class Visit> void each_option(const stagecut::stage_query&, const Visit& visit) const { visit(stagecut::stage_option()); }
};
struct changing {
  std::size_t size() const { return 3; }
  template <class Visit> void each_option(const stagecut::stage_query&, const Visit& visit) { visit(stagecut::stage_option()); }
};
struct without_query {
  std::size_t size() const { return 3; }
  template <class Visit> void each_option(std::size_t, std::size_t, const Visit& visit) const { visit(stagecut::stage_option()); }
};
struct in_a_list {
  std::size_t size() const { return 3; }
  std::vector<stagecut::stage_option> each_option(const stagecut::stage_query&) const { return {}; }
};
struct stages_between : whole { template <class Visit> void each_stage(std::size_t, std::size_t, const Visit&) const {} };
struct stages_changed : whole { template <class Visit> void each_stage(std::size_t, const Visit&) {} };
struct work_between : whole { double least_work(std::size_t, std::size_t) const { return 0; } };
struct period_value : whole { std::size_t period = 2; };
struct period_text : whole { std::string period() const { return {}; } };"""
JOINT_VALUES = """const std::vector<double> items{1, 2, 3};
const prefix_sums sums(items);
const item_times times({1, 2, 3}, {1, 2, 3});
const hybrid_request request;
const hybrid_plan_request plan_asked;
const profile model;
(void)sums, (void)times, (void)request, (void)plan_asked, (void)model;"""
OPTION_MODEL = ("a_stage_option_model_has_size_and_each_option", "// stage_option_model: docs/hybrid.md")
HYBRID_REQUEST = ("a_stage_option_model_is_followed_by_a_hybrid_request", "// (model, hybrid_request{")
OPTION_SEARCHES = {  # of a stage option model: one of these is named
    "model, request": ("give_profile_options_of_it_and_device_choices", "// profile_options(model, choices)"),
    "model, {.devices = 8}": ("give_profile_options_of_it_and_device_choices", "// profile_options(model, choices)"),
    "items, request": OPTION_MODEL,
    "sums, request": OPTION_MODEL,
    "times, request": OPTION_MODEL,
    "changing(), request": ("size_and_each_option_of_a_stage_option_model_have_to_be_const", "// declare its members const"),
    "without_query(), request": OPTION_MODEL,
    "in_a_list(), request": OPTION_MODEL,
    "stages_between(), request": ("each_stage has to be each_stage(last, visit) const",),
    "stages_changed(), request": ("each_stage has to be each_stage(last, visit) const",),
    "work_between(), request": ("least_work has to be least_work(point) const",),
    "period_value(), request": ("period has to be period() const",),
    "period_text(), request": ("period has to be period() const",),
    "request, whole()": HYBRID_REQUEST,
    "whole()": HYBRID_REQUEST,
    "whole(), plan_request()": HYBRID_REQUEST,
    "whole(), plan_asked": HYBRID_REQUEST,
    "whole(), 8": HYBRID_REQUEST,
}
JOINT = [
    *((f"{call}({asked});", named) for call in ("minimize_hybrid", "minimize_stage_time", "minimize_pipeline_latency")
      for asked, named in OPTION_SEARCHES.items()),
    ("profile_options own(model);", ("device_choices", "requires 2 arguments")),
    ("profile_options own(model, 8);", ("device_choices",)),
    ("plan_hybrid(model, plan_request());", ("hybrid_plan_request",)),
    ("plan_hybrid(plan_asked, model);", ("to 'const profile'", "const profile&")),
    ("minimize_recomputation(model, recompute_request());", ("recompute_model",)),
    ("plan_recomputation(model, request);", ("to 'const plan_request'", "const plan_request&")),
    ("as_recompute_model(items);", ("to 'const profile'", "const profile&")),
    ("shard(items, 2, link_speed(), 0.0);", ("view<const sharded_layer>", "view<const stagecut::")),
]

ROOMS = {  # room: headers of stagecut, others, types, values in main, programs
    "schedule": (
        ["cost/stage_times", "schedule/generators/backward_first", "schedule/generators/one_forward_one_backward", "schedule/lanes",
         "schedule/lower_transfers", "schedule/make_schedule", "schedule/makespan_parts", "schedule/memory_curve", "schedule/recorded_run",
         "schedule/simulate"], [], "", SCHEDULE_VALUES, SCHEDULE),
    "search": (
        ["cost/prefix_sums", "cost/stage_times", "search/all_below", "search/backends_on", "search/best", "search/best_n",
         "search/candidate_list", "search/constrained_cost", "search/cuts_within", "search/neighbourhood",
         "search/one_forward_one_backward_rows", "search/peak_memory", "search/product", "search/stage_dp", "search/stage_objective",
         "search/sweep", "search/weighted_sum"], ["thrust/execution_policy.h"], SEARCH_TYPES, SEARCH_VALUES, SEARCH),
    "graph": (
        ["graph/make_operator_graph", "graph/minimize_communication", "graph/minimize_graph_makespan", "graph/minimize_load",
         "graph/multilevel", "graph/order_costs", "graph/plan_graph", "graph/refine_partition"], ["boost/graph/adjacency_list.hpp"],
        GRAPH_TYPES, GRAPH_VALUES, GRAPH),
    "joint": (
        ["cost/prefix_sums", "cost/stage_times", "joint/as_recompute_model", "joint/minimize_hybrid", "joint/minimize_pipeline_latency",
         "joint/minimize_recomputation", "joint/minimize_stage_time", "joint/plan_hybrid", "joint/plan_recomputation",
         "joint/profile_options", "joint/sharded_times"], [], JOINT_TYPES, JOINT_VALUES, JOINT),
}
